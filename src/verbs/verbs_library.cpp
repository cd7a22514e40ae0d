// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_library.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.hpp"

namespace bowline::verbs {
namespace {

template <class Function>
void find_if_there(void* handle, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
}

template <class Function>
void find_in_library(void* handle, const char* name, Function& function) {
  find_if_there(handle, name, function);
  if (function != nullptr) return;
  throw Error(ErrorClass::other, fmt::format("{} has no function {}: install libibverbs of rdma-core 20 or newer on "
                                             "every node (Debian: libibverbs1), or set BOWLINE_NETWORK=ucx",
                                             library_file, name));
}

/// The library is never closed, because drivers of adapters are loaded with it. It is loaded with RTLD_LOCAL, so that
/// its symbols do not collide with those of the program.
Library load_library() {
  void* const handle = dlopen(library_file.data(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw Error(ErrorClass::other, fmt::format("RDMA adapters are used through libibverbs, but {}; install it on every "
                                               "node (Debian: libibverbs1), or set BOWLINE_NETWORK=ucx",
                                               dlerror()));
  }
  Library verbs{};
  find_in_library(handle, "ibv_fork_init", verbs.fork_init);
  find_in_library(handle, "ibv_get_device_list", verbs.get_device_list);
  find_in_library(handle, "ibv_free_device_list", verbs.free_device_list);
  find_in_library(handle, "ibv_get_device_name", verbs.get_device_name);
  find_in_library(handle, "ibv_open_device", verbs.open_device);
  find_in_library(handle, "ibv_close_device", verbs.close_device);
  find_in_library(handle, "ibv_query_device", verbs.query_device);
  find_in_library(handle, "ibv_query_port", verbs.query_port);
  find_in_library(handle, "ibv_query_gid", verbs.query_gid);
  find_if_there(handle, "_ibv_query_gid_ex", verbs.query_gid_ex);
  find_in_library(handle, "ibv_query_pkey", verbs.query_pkey);
  find_in_library(handle, "ibv_alloc_pd", verbs.alloc_pd);
  find_in_library(handle, "ibv_dealloc_pd", verbs.dealloc_pd);
  find_in_library(handle, "ibv_reg_mr", verbs.reg_mr);
  find_in_library(handle, "ibv_dereg_mr", verbs.dereg_mr);
  find_in_library(handle, "ibv_create_comp_channel", verbs.create_comp_channel);
  find_in_library(handle, "ibv_destroy_comp_channel", verbs.destroy_comp_channel);
  find_in_library(handle, "ibv_create_cq", verbs.create_cq);
  find_in_library(handle, "ibv_destroy_cq", verbs.destroy_cq);
  find_in_library(handle, "ibv_get_cq_event", verbs.get_cq_event);
  find_in_library(handle, "ibv_ack_cq_events", verbs.ack_cq_events);
  find_in_library(handle, "ibv_create_srq", verbs.create_srq);
  find_in_library(handle, "ibv_destroy_srq", verbs.destroy_srq);
  find_in_library(handle, "ibv_create_qp", verbs.create_qp);
  find_in_library(handle, "ibv_modify_qp", verbs.modify_qp);
  find_in_library(handle, "ibv_destroy_qp", verbs.destroy_qp);
  find_in_library(handle, "ibv_get_async_event", verbs.get_async_event);
  find_in_library(handle, "ibv_ack_async_event", verbs.ack_async_event);
  find_in_library(handle, "ibv_wc_status_str", verbs.wc_status_str);
  find_in_library(handle, "ibv_event_type_str", verbs.event_type_str);
  return verbs;
}

}  // namespace

const Library& library() {
  static const Library loaded = load_library();
  return loaded;
}

}  // namespace bowline::verbs
