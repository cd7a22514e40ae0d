// SPDX-License-Identifier: BSD-3-Clause
// libibverbs's functions. The library is loaded when a job first uses an RDMA adapter by itself.
#pragma once

#include <infiniband/verbs.h>

#include "base/shared_library.hpp"

namespace bowline::verbs {

inline constexpr SharedLibrary::Facts libibverbs{
    .file = "libibverbs.so.1",
    .purpose = "RDMA adapters are used through libibverbs",
    .remedy =
        "install libibverbs of rdma-core 20 or newer on every node (Debian: libibverbs1), or set "
        "BOWLINE_NETWORK=ucx"};

/// The members are named as in verbs.h, without the prefix ibv_. The operations of the fast path (ibv_post_send,
/// ibv_poll_cq and their like) are inline functions of verbs.h, which call the adapter's driver.
struct Library {
  SharedLibrary file{libibverbs};
  decltype(&ibv_fork_init) fork_init = file.function("ibv_fork_init");
  decltype(&ibv_get_device_list) get_device_list = file.function("ibv_get_device_list");
  decltype(&ibv_free_device_list) free_device_list = file.function("ibv_free_device_list");
  decltype(&ibv_get_device_name) get_device_name = file.function("ibv_get_device_name");
  decltype(&ibv_open_device) open_device = file.function("ibv_open_device");
  decltype(&ibv_close_device) close_device = file.function("ibv_close_device");
  decltype(&ibv_query_device) query_device = file.function("ibv_query_device");
  decltype(&ibv_query_port) query_port = file.function("ibv_query_port");
  decltype(&ibv_query_gid) query_gid = file.function("ibv_query_gid");
  decltype(&_ibv_query_gid_ex) query_gid_ex = file.function_or_null("_ibv_query_gid_ex");  ///< nullptr in old versions
  decltype(&ibv_query_pkey) query_pkey = file.function("ibv_query_pkey");
  decltype(&ibv_alloc_pd) alloc_pd = file.function("ibv_alloc_pd");
  decltype(&ibv_dealloc_pd) dealloc_pd = file.function("ibv_dealloc_pd");
  decltype(&ibv_reg_mr) reg_mr = file.function("ibv_reg_mr");
  decltype(&ibv_dereg_mr) dereg_mr = file.function("ibv_dereg_mr");
  decltype(&ibv_create_comp_channel) create_comp_channel = file.function("ibv_create_comp_channel");
  decltype(&ibv_destroy_comp_channel) destroy_comp_channel = file.function("ibv_destroy_comp_channel");
  decltype(&ibv_create_cq) create_cq = file.function("ibv_create_cq");
  decltype(&ibv_destroy_cq) destroy_cq = file.function("ibv_destroy_cq");
  decltype(&ibv_get_cq_event) get_cq_event = file.function("ibv_get_cq_event");
  decltype(&ibv_ack_cq_events) ack_cq_events = file.function("ibv_ack_cq_events");
  decltype(&ibv_create_srq) create_srq = file.function("ibv_create_srq");
  decltype(&ibv_destroy_srq) destroy_srq = file.function("ibv_destroy_srq");
  decltype(&ibv_create_qp) create_qp = file.function("ibv_create_qp");
  decltype(&ibv_modify_qp) modify_qp = file.function("ibv_modify_qp");
  decltype(&ibv_destroy_qp) destroy_qp = file.function("ibv_destroy_qp");
  decltype(&ibv_get_async_event) get_async_event = file.function("ibv_get_async_event");
  decltype(&ibv_ack_async_event) ack_async_event = file.function("ibv_ack_async_event");
  decltype(&ibv_wc_status_str) wc_status_str = file.function("ibv_wc_status_str");
  decltype(&ibv_event_type_str) event_type_str = file.function("ibv_event_type_str");
};

/// Loads libibverbs in the first call; it stays loaded until the process ends. Throws Error (MPI_ERR_OTHER) that names
/// what is missing. Any thread may call it.
const Library& library();

}  // namespace bowline::verbs
