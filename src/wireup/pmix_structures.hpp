// SPDX-License-Identifier: BSD-3-Clause
// What PMIx's macros do with its structures. The macros call functions of the library, and other ones in each
// version; these call those that are loaded (pmix_library.hpp). A structure is empty if all its bytes are 0.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "wireup/pmix_library.hpp"

namespace bowline::wireup {

/// Fills a text of PMIx with a fixed size. What is too long is cut, as PMIx does.
template <std::size_t size>
void set_text(char (&text)[size], std::string_view value) noexcept {
  std::ranges::fill(text, '\0');
  value.substr(0, size - 1).copy(text, size - 1);
}

inline pmix_proc_t pmix_process(std::string_view job, pmix_rank_t rank) noexcept {
  pmix_proc_t process{};
  set_text(process.nspace, job);
  process.rank = rank;
  return process;
}

/// Fills an empty attribute with a copy of the value, which clear() frees.
inline void load(pmix_info_t& info, const char* key, const void* value, pmix_data_type_t type) {
  pmix().info_load(&info, key, value, type);
}

/// Frees what a value holds.
inline void clear(pmix_value_t& value) {
  pmix().value_destruct(&value);
}

}  // namespace bowline::wireup
