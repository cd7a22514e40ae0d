// SPDX-License-Identifier: BSD-3-Clause
#include "rma/window_hints.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <initializer_list>
#include <optional>
#include <string_view>

namespace bowline::rma {
namespace {

constexpr std::size_t most_alignment = std::size_t{1} << 30;

void read_flag(const Info& info, const char* key, bool& flag) {
  const std::string* const value = info.find(key);
  if (value != nullptr && (*value == "true" || *value == "false")) flag = *value == "true";
}

std::optional<std::uint64_t> read_number(const Info& info, const char* key) {
  const std::string* const value = info.find(key);
  if (value == nullptr) return {};
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(value->data(), value->data() + value->size(), number);
  if (error != std::errc() || end != value->data() + value->size()) return {};
  return number;
}

/// Whether the text is "none", or a list of rar, raw, war and waw.
bool is_ordering(std::string_view text) {
  if (text == "none") return true;
  while (!text.empty()) {
    const std::string_view one = text.substr(0, text.find(','));
    if (one != "rar" && one != "raw" && one != "war" && one != "waw") return false;
    if (one.size() == text.size()) return true;
    text.remove_prefix(one.size() + 1);
  }
  return false;
}

const char* text_of(bool flag) {
  return flag ? "true" : "false";
}

}  // namespace

void Hints::read(const Info& info, bool made) {
  read_flag(info, "no_locks", no_locks);
  if (const std::string* const text = info.find("accumulate_ordering"); text != nullptr && is_ordering(*text)) {
    ordering = *text;
    ordered = ordering != "none";
  }
  if (const std::string* const text = info.find("accumulate_ops");
      text != nullptr && (*text == "same_op" || *text == "same_op_no_op"))
    operations = *text;
  if (made) return;
  read_flag(info, "same_size", same_size);
  read_flag(info, "same_disp_unit", same_unit);
  read_flag(info, "alloc_shared_noncontig", noncontiguous);
  granularity = read_number(info, "mpi_accumulate_granularity").value_or(granularity);
  const std::uint64_t wanted = read_number(info, "mpi_minimum_memory_alignment").value_or(0);
  if (std::has_single_bit(wanted) && wanted <= most_alignment)
    alignment = std::max(alignment, static_cast<std::size_t>(wanted));
}

void Hints::write(Info& info, bool shared) const {
  info.set("no_locks", text_of(no_locks));
  info.set("accumulate_ordering", ordering);
  info.set("accumulate_ops", operations);
  info.set("mpi_accumulate_granularity", std::to_string(granularity));
  info.set("same_size", text_of(same_size));
  info.set("same_disp_unit", text_of(same_unit));
  info.set("mpi_minimum_memory_alignment", std::to_string(alignment));
  if (shared) info.set("alloc_shared_noncontig", text_of(noncontiguous));
}

}  // namespace bowline::rma
