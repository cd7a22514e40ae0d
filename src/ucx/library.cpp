// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>

#include "base/error.hpp"

namespace bowline::ucx {
namespace {

constexpr const char* file = "libucp.so.0";
constexpr unsigned oldest_major = 1;
constexpr unsigned oldest_minor = 13;

[[noreturn]] void fail(const std::string& why) {
  throw Error(ErrorClass::other,
              fmt::format("ranks on different nodes talk through UCX {}.{} or newer, but {}; install UCX on every node "
                          "(Debian: libucx0), or start all ranks on one node",
                          oldest_major, oldest_minor, why));
}

template <class Function>
void find(void* handle, const char* name, Function& function) {
  // dlsym also searches UCX's dependencies (libucs).
  function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) fail(fmt::format("{} has no function {}", file, name));
}

Library load() {
  // The library is never closed, because UCX hooks into memory management. It is loaded with RTLD_LOCAL, so that its
  // symbols do not collide with those of the program.
  void* const handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) fail(dlerror());
  Library ucx{};
  find(handle, "ucp_get_version", ucx.get_version);
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  ucx.get_version(&major, &minor, &release);
  if (major != oldest_major || minor < oldest_minor) fail(fmt::format("{} is {}.{}.{}", file, major, minor, release));
  find(handle, "ucp_config_read", ucx.config_read);
  find(handle, "ucp_config_print", ucx.config_print);
  find(handle, "ucp_config_modify", ucx.config_modify);
  find(handle, "ucp_config_release", ucx.config_release);
  find(handle, "ucp_init_version", ucx.init_version);
  find(handle, "ucp_cleanup", ucx.cleanup);
  find(handle, "ucp_worker_create", ucx.worker_create);
  find(handle, "ucp_worker_destroy", ucx.worker_destroy);
  find(handle, "ucp_worker_get_address", ucx.worker_get_address);
  find(handle, "ucp_worker_release_address", ucx.worker_release_address);
  find(handle, "ucp_worker_get_efd", ucx.worker_get_efd);
  find(handle, "ucp_worker_arm", ucx.worker_arm);
  find(handle, "ucp_worker_progress", ucx.worker_progress);
  find(handle, "ucp_worker_flush_nbx", ucx.worker_flush);
  find(handle, "ucp_worker_set_am_recv_handler", ucx.worker_set_am_recv_handler);
  find(handle, "ucp_am_send_nbx", ucx.am_send);
  find(handle, "ucp_ep_create", ucx.ep_create);
  find(handle, "ucp_ep_close_nbx", ucx.ep_close);
  find(handle, "ucp_ep_flush_nbx", ucx.ep_flush);
  find(handle, "ucp_ep_print_info", ucx.ep_print_info);
  find(handle, "ucp_get_nbx", ucx.get);
  find(handle, "ucp_put_nbx", ucx.put);
  find(handle, "ucp_atomic_op_nbx", ucx.atomic_op);
  find(handle, "ucp_worker_fence", ucx.worker_fence);
  find(handle, "ucp_mem_map", ucx.mem_map);
  find(handle, "ucp_mem_unmap", ucx.mem_unmap);
  find(handle, "ucp_rkey_pack", ucx.rkey_pack);
  find(handle, "ucp_rkey_buffer_release", ucx.rkey_buffer_release);
  find(handle, "ucp_ep_rkey_unpack", ucx.ep_rkey_unpack);
  find(handle, "ucp_rkey_destroy", ucx.rkey_destroy);
  find(handle, "ucp_request_check_status", ucx.request_check_status);
  find(handle, "ucp_request_free", ucx.request_free);
  find(handle, "ucs_status_string", ucx.status_string);
  return ucx;
}

}  // namespace

const Library& library() {
  static const Library loaded = load();
  return loaded;
}

}  // namespace bowline::ucx
