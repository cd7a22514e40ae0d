// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agreement.hpp"

#include <cstring>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "comm/index_offer.hpp"
#include "dtype/predefined.hpp"

namespace bowline::comm {
namespace {

/// A reduction operator on one IndexOffer.
void combine(void*, const void* in, void* inout, std::size_t bytes, const dtype::Datatype&) {
  if (bytes != sizeof(IndexOffer)) throw Error(ErrorClass::intern, "offers are combined whole");
  IndexOffer own, other;
  std::memcpy(&own, inout, sizeof own);
  std::memcpy(&other, in, sizeof other);
  own.add(other);
  std::memcpy(inout, &own, sizeof own);
}

const dtype::Op& combination() {
  static const dtype::Op& op = dtype::Op::make({.call = combine, .context = nullptr}, true);
  return op;
}

}  // namespace

Task agree(coll::Channel& channel, IndexSpace& space, std::uint32_t start, unsigned lanes, ContextId& result) {
  const coll::Reduction together{combination(), dtype::byte_type()};
  for (ClassSearch search(start);;) {
    const ClassHold hold(space, search.class_number());
    IndexOffer offer = hold.offer(lanes);
    const auto bytes = std::as_writable_bytes(std::span(&offer, 1));
    const coll::Arguments arguments{.input = bytes, .result = bytes, .reduction = &together};
    Task combined = coll::allreduce_recursive_doubling(channel, arguments);
    co_await combined;
    channel.check();
    if (const auto id = hold.take(offer)) {
      result = *id;
      co_return;
    }
    search.next(offer);
  }
}

}  // namespace bowline::comm
