// SPDX-License-Identifier: BSD-3-Clause
// Posting of send requests.
#include <algorithm>
#include <cerrno>
#include <cstring>

#include "support/fabric/counts.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

bool is_atomic(ibv_wr_opcode opcode) {
  return opcode == IBV_WR_ATOMIC_CMP_AND_SWP || opcode == IBV_WR_ATOMIC_FETCH_AND_ADD;
}

bool is_known(ibv_wr_opcode opcode) {
  return opcode == IBV_WR_SEND || opcode == IBV_WR_SEND_WITH_IMM || opcode == IBV_WR_RDMA_WRITE ||
         opcode == IBV_WR_RDMA_WRITE_WITH_IMM || opcode == IBV_WR_RDMA_READ || is_atomic(opcode);
}

std::uint64_t length_of(const ibv_send_wr& request) {
  std::uint64_t length = 0;
  for (int index = 0; index < request.num_sge; ++index) length += request.sg_list[index].length;
  return length;
}

int check(const Pair& pair, const ibv_send_wr& request) {
  const bool is_inline = (request.send_flags & IBV_SEND_INLINE) != 0;
  const bool fetches = request.opcode == IBV_WR_RDMA_READ || is_atomic(request.opcode);
  if (!is_known(request.opcode)) return EINVAL;
  if (request.num_sge < 0 || static_cast<unsigned>(request.num_sge) > pair.capacity.max_send_sge) return EINVAL;
  if (is_inline && (fetches || length_of(request) > pair.capacity.max_inline_data)) return EINVAL;
  if (length_of(request) > longest_message) return EINVAL;
  const SendQueue& sends = pair.sends;
  return sends.posted - sends.freed >= pair.capacity.max_send_wr ? ENOMEM : 0;
}

// Inline data are read now, and no key matters.
void take_inline(Work& work, const ibv_send_wr& request) {
  std::byte* to = work.data.data();
  for (int index = 0; index != request.num_sge; ++index) {
    const ibv_sge& piece = request.sg_list[index];
    if (piece.length == 0) continue;
    std::memcpy(to, reinterpret_cast<const void*>(piece.addr), piece.length);
    to += piece.length;
  }
  ++counts.inlined;
}

void take(Pair& pair, const ibv_send_wr& request) {
  Work& work = pair.sends.slots[pair.sends.posted++ % pair.sends.slots.size()];
  work.id = request.wr_id;
  work.opcode = request.opcode;
  work.signaled = pair.every_send_signaled || (request.send_flags & IBV_SEND_SIGNALED) != 0;
  work.solicited = (request.send_flags & IBV_SEND_SOLICITED) != 0;
  work.immediate = request.imm_data;
  const bool atomic = is_atomic(request.opcode);
  work.address = atomic ? request.wr.atomic.remote_addr : request.wr.rdma.remote_addr;
  work.key = atomic ? request.wr.atomic.rkey : request.wr.rdma.rkey;
  work.add_or_compare = request.wr.atomic.compare_add;
  work.swap = request.wr.atomic.swap;
  work.pieces = request.num_sge;
  std::copy_n(request.sg_list, request.num_sge, work.list.data());
  work.length = static_cast<std::uint32_t>(length_of(request));
  work.is_inline = (request.send_flags & IBV_SEND_INLINE) != 0;
  if (work.is_inline) take_inline(work, request);
}

}  // namespace

int post_sends(ibv_qp* given, ibv_send_wr* request, ibv_send_wr** bad) {
  auto& pair = static_cast<Pair&>(*given);
  check_live(pair.live, "queue pair");
  const SubnetLock lock;
  ++counts.doorbells;
  const ibv_qp_state state = entry_of(pair).state;
  int error = state == IBV_QPS_RTS || state == IBV_QPS_ERR ? 0 : EINVAL;
  for (; request != nullptr && error == 0; request = request->next) {
    error = check(pair, *request);
    if (error != 0) break;
    take(pair, *request);
  }
  if (error != 0) *bad = request;
  if (settings().deferred) {
    defer(pair);
  } else {
    work_off(pair);
  }
  return error;
}

}  // namespace fabric
