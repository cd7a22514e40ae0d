// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/connection/arrival_proof.hpp"

namespace bowline::verbs {

void ArrivalProof::start(const Handshake& theirs) noexcept {
  unproven_ = Unproven::nothing;
  probe_ = theirs.probe_address;
  probe_key_ = theirs.probe_key;
}

SendWork& ArrivalProof::oldest_ended(List<SendWork>& under_way, SendWork& reported) noexcept {
  return *under_way.find([&](SendWork& each) {
    if (&each == &reported || !is_read(each)) return true;
    each.overtaken = true;
    return false;
  });
}

void ArrivalProof::note(const SendWork& done) noexcept {
  if (is_read(done)) {
    if (!done.overtaken) unproven_ = Unproven::nothing;
  } else if (done.request.opcode == IBV_WR_RDMA_WRITE) {
    unproven_ = Unproven::writes;
  } else if (unproven_ == Unproven::nothing) {
    unproven_ = Unproven::messages;
  }
}

bool ArrivalProof::comes_with(List<SendWork>& under_way) const noexcept {
  return under_way.empty() ? is_complete() : is_read(under_way.back());
}

/// Reads of no bytes would do on iWARP, too, but not every adapter executes them (siw reads what a former request
/// named).
bool ArrivalProof::make(SendWork& work, WorkPool& works) const noexcept {
  if (by_completion_) {
    work.request.opcode = IBV_WR_RDMA_WRITE;
    work.request.num_sge = 0;
    work.request.wr.rdma = {};
    return true;
  }
  work.request.opcode = IBV_WR_RDMA_READ;
  work.request.wr.rdma = {probe_, probe_key_};
  return works.make_slot(work, probe_bytes) != nullptr;
}

}  // namespace bowline::verbs
