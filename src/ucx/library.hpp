// SPDX-License-Identifier: BSD-3-Clause
// UCX's functions. The libraries are loaded when a job first needs a network.
#pragma once

#include <ucp/api/ucp.h>

#include "base/shared_library.hpp"

namespace bowline::ucx {

/// Loads UCX and checks its version. Throws Error.
SharedLibrary load_ucx();

/// The members are named as in ucp.h and status.h, without the prefixes ucp_ and ucs_ and the suffix _nbx.
struct Library {
  SharedLibrary file = load_ucx();
  decltype(&ucp_get_version) get_version = file.function("ucp_get_version");
  decltype(&ucp_config_read) config_read = file.function("ucp_config_read");
  decltype(&ucp_config_print) config_print = file.function("ucp_config_print");
  decltype(&ucp_config_modify) config_modify = file.function("ucp_config_modify");
  decltype(&ucp_config_release) config_release = file.function("ucp_config_release");
  decltype(&ucp_init_version) init_version = file.function("ucp_init_version");
  decltype(&ucp_cleanup) cleanup = file.function("ucp_cleanup");
  decltype(&ucp_worker_create) worker_create = file.function("ucp_worker_create");
  decltype(&ucp_worker_destroy) worker_destroy = file.function("ucp_worker_destroy");
  decltype(&ucp_worker_get_address) worker_get_address = file.function("ucp_worker_get_address");
  decltype(&ucp_worker_release_address) worker_release_address = file.function("ucp_worker_release_address");
  decltype(&ucp_worker_get_efd) worker_get_efd = file.function("ucp_worker_get_efd");
  decltype(&ucp_worker_arm) worker_arm = file.function("ucp_worker_arm");
  decltype(&ucp_worker_progress) worker_progress = file.function("ucp_worker_progress");
  decltype(&ucp_worker_flush_nbx) worker_flush = file.function("ucp_worker_flush_nbx");
  decltype(&ucp_worker_set_am_recv_handler) worker_set_am_recv_handler =
      file.function("ucp_worker_set_am_recv_handler");
  decltype(&ucp_am_send_nbx) am_send = file.function("ucp_am_send_nbx");
  decltype(&ucp_ep_create) ep_create = file.function("ucp_ep_create");
  decltype(&ucp_ep_close_nbx) ep_close = file.function("ucp_ep_close_nbx");
  decltype(&ucp_ep_flush_nbx) ep_flush = file.function("ucp_ep_flush_nbx");
  decltype(&ucp_ep_print_info) ep_print_info = file.function("ucp_ep_print_info");
  decltype(&ucp_get_nbx) get = file.function("ucp_get_nbx");
  decltype(&ucp_put_nbx) put = file.function("ucp_put_nbx");
  decltype(&ucp_atomic_op_nbx) atomic_op = file.function("ucp_atomic_op_nbx");
  decltype(&ucp_worker_fence) worker_fence = file.function("ucp_worker_fence");
  decltype(&ucp_mem_map) mem_map = file.function("ucp_mem_map");
  decltype(&ucp_mem_unmap) mem_unmap = file.function("ucp_mem_unmap");
  decltype(&ucp_rkey_pack) rkey_pack = file.function("ucp_rkey_pack");
  decltype(&ucp_rkey_buffer_release) rkey_buffer_release = file.function("ucp_rkey_buffer_release");
  decltype(&ucp_ep_rkey_unpack) ep_rkey_unpack = file.function("ucp_ep_rkey_unpack");
  decltype(&ucp_rkey_destroy) rkey_destroy = file.function("ucp_rkey_destroy");
  decltype(&ucp_request_check_status) request_check_status = file.function("ucp_request_check_status");
  decltype(&ucp_request_free) request_free = file.function("ucp_request_free");
  decltype(&ucs_status_string) status_string = file.function("ucs_status_string");
};

/// Loads UCX in the first call; UCX stays loaded until the process ends. Throws Error (MPI_ERR_OTHER) that names what
/// is missing.
const Library& library();

}  // namespace bowline::ucx
