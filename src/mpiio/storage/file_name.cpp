// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/storage/file_name.hpp"

#include <algorithm>
#include <array>

namespace bowline::mpiio {
namespace {

constexpr std::array<std::string_view, 18> prefixes = {
    "ufs:",   "nfs:", "xfs:", "lustre:", "gpfs:",   "panfs:", "pvfs:",    "pvfs2:",  "pfs:",
    "piofs:", "hfs:", "sfs:", "testfs:", "zoidfs:", "ime:",   "quobyte:", "beegfs:", "daos:"};

}  // namespace

std::string_view path_in(std::string_view name) noexcept {
  const auto* const found =
      std::ranges::find_if(prefixes, [=](std::string_view prefix) { return name.starts_with(prefix); });
  return found == prefixes.end() ? name : name.substr(found->size());
}

}  // namespace bowline::mpiio
