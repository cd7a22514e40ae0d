// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/operations.hpp"

#include <array>
#include <cstring>
#include <span>

#include "support/fabric/counts.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/pieces.hpp"
#include "support/fabric/queues.hpp"

namespace fabric {
namespace {

constexpr Outcome no_answer{Outcome::Kind::no_answer};

Outcome failed(ibv_wc_status status) {
  return {Outcome::Kind::done, status};
}

// The peer's adapter refuses.
Outcome refused(QueuePair& peer, ibv_wc_status status) {
  break_pair(peer, status == IBV_WC_REM_ACCESS_ERR ? IBV_EVENT_QP_ACCESS_ERR : IBV_EVENT_QP_REQ_ERR);
  return failed(status);
}

bool has_immediate(const Work& work) {
  return work.opcode == IBV_WR_SEND_WITH_IMM || work.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
}

bool own_pieces(const Work& work, const Pair& pair, unsigned access, Pieces& found) {
  if (work.is_inline) {
    found.add(work.data.data(), work.length);
    return true;
  }
  const std::span list(work.list.data(), static_cast<std::size_t>(work.pieces));
  return find_pieces(list, own_process(), entry_of(pair).domain, access, found);
}

// What the request names in the peer's memory. Without bytes the key does not matter.
bool remote_piece(const Work& work, const QueuePair& peer, unsigned access, Pieces& found) {
  if (work.length == 0) return true;
  if ((peer.access & access) == 0) return false;
  const ibv_sge piece{work.address, work.length, work.key - 1};
  return (work.key & 1U) == 1 && find_pieces(std::span(&piece, 1), peer.process, peer.domain, access, found);
}

void complete_receive(const Receive& receive, const Work& work, const Pair& pair, const QueuePair& peer) {
  ibv_wc wc = blank_completion(receive.id, IBV_WC_SUCCESS, peer.number);
  const bool write = work.opcode == IBV_WR_RDMA_WRITE_WITH_IMM;
  wc.opcode = write ? IBV_WC_RECV_RDMA_WITH_IMM : IBV_WC_RECV;
  wc.byte_len = work.length;
  wc.src_qp = pair.qp_num;
  wc.wc_flags = has_immediate(work) ? static_cast<unsigned>(IBV_WC_WITH_IMM) : 0U;
  if (has_immediate(work)) wc.imm_data = work.immediate;
  complete(peer.receive_completions, wc, 0, work.solicited);
}

// The receive fails at the peer with one status, the send here with another.
Outcome receive_failed(const Receive& receive, QueuePair& peer, ibv_wc_status there, ibv_wc_status here) {
  complete(peer.receive_completions, blank_completion(receive.id, there, peer.number), 0, true);
  return refused(peer, here);
}

Outcome send(const Work& work, const Pair& pair, QueuePair& peer) {
  Pieces from;
  if (!own_pieces(work, pair, 0, from)) return failed(IBV_WC_LOC_PROT_ERR);
  ReceiveQueue& queue = subnet().receive_queues[peer.receives];
  const Receive* receive = take_receive(queue);
  if (receive == nullptr) return {Outcome::Kind::not_ready};
  Pieces to;
  const std::span list(receive->list, static_cast<std::size_t>(receive->pieces));
  if (!find_pieces(list, peer.process, queue.domain, IBV_ACCESS_LOCAL_WRITE, to)) {
    return receive_failed(*receive, peer, IBV_WC_LOC_PROT_ERR, IBV_WC_REM_OP_ERR);
  }
  if (to.length() < work.length) {
    return receive_failed(*receive, peer, IBV_WC_LOC_LEN_ERR, IBV_WC_REM_INV_REQ_ERR);
  }
  if (!write_pieces(from, peer.process, to)) return no_answer;
  complete_receive(*receive, work, pair, peer);
  ++counts.sends;
  return {};
}

void count_transferred(const Work& work, const Pair& pair) {
  counts.transferred[context_of(pair.context).device_number] += work.length;
}

Outcome write(const Work& work, const Pair& pair, QueuePair& peer) {
  Pieces from, to;
  if (!own_pieces(work, pair, 0, from)) return failed(IBV_WC_LOC_PROT_ERR);
  if (!remote_piece(work, peer, IBV_ACCESS_REMOTE_WRITE, to)) return refused(peer, IBV_WC_REM_ACCESS_ERR);
  const bool announced = has_immediate(work);
  ReceiveQueue& queue = subnet().receive_queues[peer.receives];
  if (announced && queue.count == 0) return {Outcome::Kind::not_ready};
  if (!write_pieces(from, peer.process, to)) return no_answer;
  if (announced) complete_receive(*take_receive(queue), work, pair, peer);
  ++counts.writes;
  count_transferred(work, pair);
  return {};
}

Outcome read(const Work& work, const Pair& pair, QueuePair& peer) {
  Pieces to, from;
  if (pair.attributes.max_rd_atomic == 0) return failed(IBV_WC_LOC_QP_OP_ERR);
  if (!own_pieces(work, pair, IBV_ACCESS_LOCAL_WRITE, to)) return failed(IBV_WC_LOC_PROT_ERR);
  if (peer.reads_allowed == 0) return refused(peer, IBV_WC_REM_INV_REQ_ERR);
  if (!remote_piece(work, peer, IBV_ACCESS_REMOTE_READ, from)) return refused(peer, IBV_WC_REM_ACCESS_ERR);
  if (!read_pieces(peer.process, from, to)) return no_answer;
  ++counts.reads;
  count_transferred(work, pair);
  return {};
}

// The lock makes it atomic for all that goes through the fabric, which is what IBV_ATOMIC_HCA promises.
Outcome atomic(const Work& work, const Pair& pair, QueuePair& peer) {
  Pieces result, target;
  if (pair.attributes.max_rd_atomic == 0) return failed(IBV_WC_LOC_QP_OP_ERR);
  if (work.length != sizeof(std::uint64_t)) return failed(IBV_WC_LOC_LEN_ERR);
  if (!own_pieces(work, pair, IBV_ACCESS_LOCAL_WRITE, result)) return failed(IBV_WC_LOC_PROT_ERR);
  if (peer.reads_allowed == 0 || work.address % sizeof(std::uint64_t) != 0) {
    return refused(peer, IBV_WC_REM_INV_REQ_ERR);
  }
  if (!remote_piece(work, peer, IBV_ACCESS_REMOTE_ATOMIC, target)) return refused(peer, IBV_WC_REM_ACCESS_ERR);
  std::uint64_t before = 0;
  Pieces value;
  value.add(&before, sizeof before);
  if (!read_pieces(peer.process, target, value)) return no_answer;
  std::uint64_t after = before + work.add_or_compare;
  if (work.opcode == IBV_WR_ATOMIC_CMP_AND_SWP) after = before == work.add_or_compare ? work.swap : before;
  Pieces changed;
  changed.add(&after, sizeof after);
  if (after != before && !write_pieces(changed, peer.process, target)) return no_answer;
  write_pieces(value, own_process(), result);
  ++counts.atomics;
  return {};
}

}  // namespace

Outcome carry_out(const Work& work, const Pair& pair, QueuePair& peer) {
  switch (work.opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return write(work, pair, peer);
    case IBV_WR_RDMA_READ:
      return read(work, pair, peer);
    case IBV_WR_ATOMIC_CMP_AND_SWP:
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      return atomic(work, pair, peer);
    default:
      return send(work, pair, peer);
  }
}

}  // namespace fabric
