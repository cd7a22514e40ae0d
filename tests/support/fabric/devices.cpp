// SPDX-License-Identifier: BSD-3-Clause
// The list of devices, and contexts.
#include <arpa/inet.h>
#include <endian.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <vector>

#include "support/fabric/adapter.hpp"
#include "support/fabric/events.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

std::vector<ibv_device>& all_devices() {
  static auto* devices = [] {
    auto* made = new std::vector<ibv_device>(static_cast<std::size_t>(settings().devices));
    for (std::size_t index = 0; index != made->size(); ++index) {
      ibv_device& device = (*made)[index];
      device.node_type = IBV_NODE_CA;
      device.transport_type = IBV_TRANSPORT_IB;
      std::snprintf(device.name, sizeof device.name, "fabric%zu", index);
      std::snprintf(device.dev_name, sizeof device.dev_name, "uverbs%zu", index);
      std::snprintf(device.dev_path, sizeof device.dev_path, "/sys/class/infiniband_verbs/%s", device.dev_name);
      std::snprintf(device.ibdev_path, sizeof device.ibdev_path, "/sys/class/infiniband/%s", device.name);
    }
    return made;
  }();
  return *devices;
}

int index_of(const ibv_device* device) {
  const auto& devices = all_devices();
  if (device < devices.data() || device >= devices.data() + devices.size()) misuse("an unknown device was given");
  return static_cast<int>(device - devices.data());
}

/// ibv_query_device_ex.
int query_more(ibv_context* context, const ibv_query_device_ex_input*, ibv_device_attr_ex* answer, std::size_t bytes) {
  if (bytes < sizeof *answer) return EINVAL;
  *answer = {};
  if (settings().on_demand) {
    answer->odp_caps.general_caps = IBV_ODP_SUPPORT;
    answer->odp_caps.per_transport_caps.rc_odp_caps = IBV_ODP_SUPPORT_SEND | IBV_ODP_SUPPORT_RECV |
                                                      IBV_ODP_SUPPORT_WRITE | IBV_ODP_SUPPORT_READ |
                                                      IBV_ODP_SUPPORT_ATOMIC;
  }
  return ibv_query_device(context, &answer->orig_attr);
}

}  // namespace

std::vector<Context*>& open_contexts() {
  static auto* contexts = new std::vector<Context*>;
  return *contexts;
}

void check_live(bool live, const char* what) {
  if (!live) misuse("a %s is used after it was destroyed", what);
}

}  // namespace fabric

using namespace fabric;

extern "C" {

ibv_device** ibv_get_device_list(int* number) {
  auto& devices = all_devices();
  auto** list = new ibv_device*[devices.size() + 1]();
  for (std::size_t index = 0; index != devices.size(); ++index) list[index] = &devices[index];
  if (number != nullptr) *number = static_cast<int>(devices.size());
  return list;
}

void ibv_free_device_list(ibv_device** list) {
  delete[] list;
}

const char* ibv_get_device_name(ibv_device* device) {
  return device == nullptr ? nullptr : device->name;
}

__be64 ibv_get_device_guid(ibv_device* device) {
  return htobe64(0x0200'0000'0000'0000U + static_cast<unsigned>(fabric_port(index_of(device), 1)));
}

int ibv_get_device_index(ibv_device* device) {
  return index_of(device);
}

ibv_context* ibv_open_device(ibv_device* device) {
  auto* made = new Context{};
  made->sz = sizeof(verbs_context);
  made->query_device_ex = query_more;
  made->device_number = index_of(device);
  ibv_context& context = made->context;
  context.abi_compat = __VERBS_ABI_IS_EXTENDED;
  context.device = device;
  const SubnetLock lock;
  made->events = open_channel(context.async_fd);
  open_contexts().push_back(made);
  context.cmd_fd = -1;
  context.num_comp_vectors = 1;
  context.ops.poll_cq = poll_completions;
  context.ops.req_notify_cq = arm_completions;
  context.ops.post_srq_recv = post_shared_receives;
  context.ops.post_recv = post_receives;
  context.ops.post_send = post_sends;
  return &context;
}

int ibv_close_device(ibv_context* given) {
  Context& context = context_of(given);
  if (context.domains != 0) misuse("a device is closed before its %d protection domains", context.domains);
  const SubnetLock lock;
  close_channel(context.events, given->async_fd);
  std::erase(open_contexts(), &context);
  delete &context;
  return 0;
}

int ibv_query_device(ibv_context* context, ibv_device_attr* answer) {
  *answer = {};
  std::snprintf(answer->fw_ver, sizeof answer->fw_ver, "simulated");
  answer->node_guid = answer->sys_image_guid = ibv_get_device_guid(context->device);
  answer->max_mr_size = 1ULL << 40;
  answer->page_size_cap = 4096;
  answer->max_qp = most_queue_pairs;
  answer->max_qp_wr = most_sends;
  answer->max_sge = answer->max_sge_rd = most_pieces;
  answer->max_cq = most_completion_queues;
  answer->max_cqe = most_completions;
  answer->max_mr = most_regions;
  answer->max_pd = 1024;
  answer->max_qp_rd_atom = answer->max_qp_init_rd_atom = most_reads;
  answer->max_res_rd_atom = most_reads * most_queue_pairs;
  answer->atomic_cap = IBV_ATOMIC_HCA;
  answer->max_srq = most_receive_queues;
  answer->max_srq_wr = most_receives;
  answer->max_srq_sge = most_receive_pieces;
  answer->max_pkeys = 1;
  answer->phys_port_cnt = static_cast<std::uint8_t>(settings().ports);
  return 0;
}

int ibv_fork_init() {
  return 0;
}
ibv_fork_status ibv_is_fork_initialized() {
  return IBV_FORK_UNNEEDED;
}

}  // extern "C"
