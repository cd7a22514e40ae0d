// SPDX-License-Identifier: BSD-3-Clause
// Calls and answers between a rank and its relay, as bytes. Both run on one machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace bowline::wireup {

/// The first word of the first call. It changes whenever calls or answers do: rank and launcher may belong to different
/// versions of Bowline.
inline constexpr std::uint32_t relay_protocol = 0xb0711e01;

enum class RelayCall : std::uint8_t {
  handshake,  ///< the protocol, the variables of the rank; the answer is its Identity
  publish,
  exchange,
  lookup,
  ask,
  answers,
  node_of,
  universe_size,
  application,
  process_sets,
  members,
  abort,
  finalize,
};

/// The first byte of an answer.
enum class RelayAnswer : std::uint8_t { result, error };

/// Adds bytes at the end.
inline void append(std::vector<std::byte>& to, std::span<const std::byte> bytes) {
  const std::size_t before = to.size();
  to.resize(before + bytes.size());
  if (!bytes.empty()) std::memcpy(to.data() + before, bytes.data(), bytes.size());
}

/// Grows a message.
class MessageWriter {
 public:
  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> MessageWriter& add(T value) {
    return add_raw(std::as_bytes(std::span(&value, 1)));
  }
  MessageWriter& add(std::string_view text) { return add(std::as_bytes(std::span(text.data(), text.size()))); }
  MessageWriter& add(std::span<const std::byte> bytes) {
    add(static_cast<std::uint64_t>(bytes.size()));
    return add_raw(bytes);
  }
  template <class T>
  MessageWriter& add_list(const std::vector<T>& list) {
    add(static_cast<std::uint64_t>(list.size()));
    for (const T& each : list) add(each);
    return *this;
  }
  MessageWriter& add(const std::optional<int>& value) {
    add(static_cast<std::uint8_t>(value.has_value()));
    return add(value.value_or(0));
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MessageWriter& add_raw(std::span<const std::byte> bytes) {
    append(bytes_, bytes);
    return *this;
  }
  std::vector<std::byte> bytes_;
};

/// Takes a message apart, in the order in which it was written. Throws Error (other) if the message is too short.
class MessageReader {
 public:
  explicit MessageReader(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}

  template <class T>
  requires std::is_arithmetic_v<T> || std::is_enum_v<T> T take() {
    T value{};
    const std::span<const std::byte> raw = take_raw(sizeof value);
    std::memcpy(&value, raw.data(), sizeof value);
    return value;
  }
  std::vector<std::byte> take_bytes() {
    const std::span<const std::byte> raw = take_raw(take<std::uint64_t>());
    return {raw.begin(), raw.end()};
  }
  std::string take_text() {
    const std::span<const std::byte> raw = take_raw(take<std::uint64_t>());
    return {reinterpret_cast<const char*>(raw.data()), raw.size()};
  }
  template <class Take>
  auto take_list(const Take& take_one) {
    std::vector<decltype(take_one(*this))> list;
    for (auto left = take<std::uint64_t>(); left > 0; --left) list.push_back(take_one(*this));
    return list;
  }
  std::vector<int> take_numbers() {
    return take_list([](MessageReader& reader) { return reader.take<int>(); });
  }
  std::vector<std::string> take_texts() {
    return take_list([](MessageReader& reader) { return reader.take_text(); });
  }
  std::optional<int> take_optional() {
    const bool there = take<std::uint8_t>() != 0;
    const int value = take<int>();
    return there ? std::optional(value) : std::nullopt;
  }

 private:
  std::span<const std::byte> take_raw(std::uint64_t size);

  std::vector<std::byte> bytes_;
  std::size_t place_ = 0;
};

/// Sends a message over a connected socket; false if the other end is gone.
bool send_message(int connection, std::span<const std::byte> message) noexcept;
/// Waits for a message; none if the other end is gone.
std::optional<std::vector<std::byte>> receive_message(int connection);

}  // namespace bowline::wireup
