// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/library.hpp"

#include <fmt/format.h>

#include "ucx/interface_settings.hpp"

namespace bowline::ucx {
namespace {

constexpr unsigned oldest_major = 1;
constexpr unsigned oldest_minor = 13;
constexpr SharedLibrary::Facts ucp{
    .file = "libucp.so.0",
    .purpose = "ranks on different nodes talk through UCX 1.13 or newer",
    .remedy = "install UCX on every node (Debian: libucx0), or start all ranks on one node"};

}  // namespace

// An old version lacks functions, so its version is checked before they are looked up.
SharedLibrary load_ucx() {
  // UCX's own handlers of crashes would take the place of base/diagnosis, and print without end.
  const Setting no_handlers("UCX_HANDLE_ERRORS", "none");
  const SharedLibrary file(ucp);
  const decltype(&ucp_get_version) get_version = file.function("ucp_get_version");
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  get_version(&major, &minor, &release);
  if (major != oldest_major || minor < oldest_minor)
    file.refuse(fmt::format("{} is {}.{}.{}", file.path(), major, minor, release));
  return file;
}

const Library& library() {
  static const Library loaded;
  return loaded;
}

}  // namespace bowline::ucx
