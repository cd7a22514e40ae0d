// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/file/file_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

#include "base/number.hpp"

namespace bowline::mpiio {
namespace {

// The defaults that users of other MPI libraries know.
constexpr std::size_t default_cb_buffer = 16 << 20;
constexpr std::size_t default_read_buffer = 4 << 20;
constexpr std::size_t default_write_buffer = 512 << 10;
constexpr std::size_t least_buffer = 4096;
constexpr std::size_t most_buffer = std::size_t{1} << 40;

static_assert(std::is_trivially_copyable_v<Hints>);

std::optional<Use> use_of(std::string_view value) noexcept {
  if (value == "enable" || value == "true") return Use::enabled;
  if (value == "disable" || value == "false") return Use::disabled;
  if (value == "automatic") return Use::automatic;
  return std::nullopt;
}

std::string_view name_of(Use use) noexcept {
  return use == Use::enabled ? "enable" : use == Use::disabled ? "disable" : "automatic";
}

/// Reads hints whose values are allowed into their variables.
class HintReader {
 public:
  explicit HintReader(const Info& info) noexcept : info_(info) {}

  void bytes(const char* key, std::size_t& target) const {
    const auto value = number(key);
    if (value && *value > 0) target = std::clamp(static_cast<std::size_t>(*value), least_buffer, most_buffer);
  }
  template <class Number>
  void positive(const char* key, Number& target) const {
    const auto value = number(key);
    if (value && *value > 0 && *value <= std::numeric_limits<int>::max()) target = static_cast<Number>(*value);
  }
  void use(const char* key, Use& target) const {
    const std::string* const text = info_.find(key);
    if (text == nullptr) return;
    if (const auto value = use_of(*text)) target = *value;
  }
  void octal(const char* key, std::uint32_t& target) const {
    const std::string* const text = info_.find(key);
    if (text == nullptr) return;
    std::uint32_t value = 0;
    const char* const end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, value, 8);
    if (error == std::errc() && stopped == end && value <= 0777) target = value;
  }
  template <std::size_t room>
  void text(const char* key, std::array<char, room>& target) const {
    const std::string* const value = info_.find(key);
    if (value == nullptr || value->size() >= room) return;
    target.fill('\0');
    std::ranges::copy(*value, target.begin());
  }

 private:
  std::optional<std::int64_t> number(const char* key) const {
    const std::string* const text = info_.find(key);
    return text == nullptr ? std::nullopt : parse_number(*text);
  }

  const Info& info_;
};

}  // namespace

Hints Hints::defaults(const FileSystem& system) noexcept {
  Hints hints;
  hints.cb_buffer_size = default_cb_buffer;
  hints.ind_rd_buffer_size = default_read_buffer;
  hints.ind_wr_buffer_size = default_write_buffer;
  hints.striping_unit = system.stripe_bytes;
  hints.striping_factor = system.stripes;
  return hints;
}

void Hints::take(const Info& info, bool open) {
  const HintReader hints(info);
  hints.bytes("cb_buffer_size", cb_buffer_size);
  hints.positive("cb_nodes", cb_nodes);
  // The standard has one name for both directions.
  hints.use("collective_buffering", cb_read);
  hints.use("collective_buffering", cb_write);
  hints.use("romio_cb_read", cb_read);
  hints.use("romio_cb_write", cb_write);
  hints.use("bowline_cb_two_level", cb_levels);
  hints.positive("bowline_cb_unit", cb_unit);
  hints.bytes("ind_rd_buffer_size", ind_rd_buffer_size);
  hints.bytes("ind_wr_buffer_size", ind_wr_buffer_size);
  hints.use("romio_ds_read", ds_read);
  hints.use("romio_ds_write", ds_write);
  hints.text("access_style", access_style);
  if (!open) return;
  hints.positive("striping_unit", striping_unit);
  hints.positive("striping_factor", striping_factor);
  hints.octal("file_perm", file_perm);
}

Info Hints::info() const {
  Info info;
  const auto number = [&](const char* key, auto value) { info.set(key, fmt::format("{}", value)); };
  number("cb_buffer_size", cb_buffer_size);
  number("cb_nodes", cb_nodes);
  info.set("romio_cb_read", name_of(cb_read));
  info.set("romio_cb_write", name_of(cb_write));
  info.set("bowline_cb_two_level", name_of(cb_levels));
  if (cb_unit > 0) number("bowline_cb_unit", cb_unit);
  number("ind_rd_buffer_size", ind_rd_buffer_size);
  number("ind_wr_buffer_size", ind_wr_buffer_size);
  info.set("romio_ds_read", name_of(ds_read));
  info.set("romio_ds_write", name_of(ds_write));
  if (striping_unit > 0) number("striping_unit", striping_unit);
  if (striping_factor > 0) number("striping_factor", striping_factor);
  info.set("file_perm", fmt::format("{:o}", file_perm));
  if (access_style[0] != '\0') info.set("access_style", access_style.data());
  return info;
}

}  // namespace bowline::mpiio
