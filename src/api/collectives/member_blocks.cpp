// SPDX-License-Identifier: BSD-3-Clause
#include "api/collectives/member_blocks.hpp"

#include <fmt/format.h>

#include "api/entry/validators.hpp"
#include "base/error.hpp"

namespace bowline::api {
namespace {

void check_array(bool is_null, int members, const char* name) {
  if (is_null && members > 0) check::refuse::pointer(name);
}

/// Calls a validator with the name of entry `i`, for entries that need an error message or a closer check. So the name
/// is made for these entries only.
template <class Validator>
void check_entry(const char* name, int i, Validator validate) {
  validate(fmt::format("{}[{}]", name, i).c_str());
}

bool usable(MPI_Datatype handle) noexcept {
  const dtype::Datatype* const type = find_datatype(handle);
  return type != nullptr && type->committed();
}

}  // namespace

void MemberBlocks::check(int members, const BlockNames& names) const {
  check_array(counts_.is_null(), members, names.counts);
  check_array(displs_.is_null(), members, names.displs);
  check_array(type_ == nullptr && types_ == nullptr, members, names.types);
  for (int i = 0; i < members; ++i) {
    const auto entry = static_cast<std::size_t>(i);
    const MPI_Count count = counts_[entry];
    if (count < 0) check_entry(names.counts, i, [=](const char* name) { check::count(count, name); });
    if (types_ != nullptr && !usable(types_[i]))
      check_entry(names.types, i, [&](const char* name) { check::committed_for(count, types_[i], name); });
    // Displacements in bytes may be absolute addresses, if the buffer is MPI_BOTTOM.
    const bool absolute = types_ != nullptr && buffer_ == MPI_BOTTOM && displs_[entry] != 0;
    check::buffer(absolute ? reinterpret_cast<const void*>((*this)[i].address) : buffer_, count, type_of(i),
                  names.buffer);
  }
}

}  // namespace bowline::api
