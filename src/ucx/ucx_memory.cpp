// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx_memory.hpp"

#include <cstring>

#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {
namespace {

using transport::Access;
using transport::RemoteAtomic;

ucp_atomic_op_t operation_of(transport::AtomicKind kind) noexcept {
  switch (kind) {
    case transport::AtomicKind::add:
      return UCP_ATOMIC_OP_ADD;
    case transport::AtomicKind::bit_and:
      return UCP_ATOMIC_OP_AND;
    case transport::AtomicKind::bit_or:
      return UCP_ATOMIC_OP_OR;
    case transport::AtomicKind::bit_xor:
      return UCP_ATOMIC_OP_XOR;
    case transport::AtomicKind::swap:
      return UCP_ATOMIC_OP_SWAP;
    case transport::AtomicKind::compare_swap:
      return UCP_ATOMIC_OP_CSWAP;
  }
  return UCP_ATOMIC_OP_LAST;
}

}  // namespace

UcxMemory::~UcxMemory() {
  library().rkey_destroy(key_);
}

Access UcxMemory::get(std::uint64_t address, std::span<std::byte> target, transport::Operation& operation) {
  PendingOperation& pending = endpoint_.begin_access(operation);
  const ucp_request_param_t param = UcxEndpoint::telling(pending);
  return endpoint_.access_begun(pending,
                                library().get(endpoint_.handle(), target.data(), target.size(), address, key_, &param));
}

Access UcxMemory::put(std::span<const std::byte> source, std::uint64_t address, transport::Operation& operation) {
  PendingOperation& pending = endpoint_.begin_access(operation);
  const ucp_request_param_t param = UcxEndpoint::telling(pending);
  return endpoint_.access_begun(pending,
                                library().put(endpoint_.handle(), source.data(), source.size(), address, key_, &param));
}

/// UCX takes the operand, and for a compare-and-swap the value to compare with, from one place, and the new value of a
/// compare-and-swap from the place into which UCX puts the former value.
Access UcxMemory::atomic(const RemoteAtomic& what, std::uint64_t address, void* old, transport::Operation& operation) {
  const bool compares = what.kind == transport::AtomicKind::compare_swap;
  const bool replies = old != nullptr || compares || what.kind == transport::AtomicKind::swap;
  endpoint_.order_atomics();
  PendingOperation& pending = endpoint_.begin_access(operation);
  pending.operand = compares ? what.compare : what.operand;
  pending.reply = what.operand;
  pending.reply_to = old;
  pending.reply_bytes = what.bytes;
  ucp_request_param_t param = UcxEndpoint::telling(pending);
  param.op_attr_mask |= UCP_OP_ATTR_FIELD_DATATYPE;
  param.datatype = ucp_dt_make_contig(what.bytes);
  if (replies) {
    param.op_attr_mask |= UCP_OP_ATTR_FIELD_REPLY_BUFFER;
    param.reply_buffer = &pending.reply;
  }
  return endpoint_.access_begun(pending, library().atomic_op(endpoint_.handle(), operation_of(what.kind),
                                                             &pending.operand, 1, address, key_, &param));
}

}  // namespace bowline::ucx
