// SPDX-License-Identifier: BSD-3-Clause
#include "comm/agreement.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <functional>
#include <optional>
#include <span>

#include "base/error.hpp"
#include "coll/algorithms/allreduce/allreduce.hpp"
#include "dtype/predefined.hpp"
#include "proto/context.hpp"

namespace bowline::comm {
namespace {

static_assert(IndexSpace::size <= proto::max_indices);

constexpr std::uint32_t patience = 8;  // rounds over all classes before the lack of indices is an error

/// The offer of one member, or the combined offers of several.
struct Offer {
  IndexSpace::Bits free{};
  std::uint64_t lanes = 0;        ///< one bit set per lane of the member
  std::uint32_t undisturbed = 1;  ///< 0: another agreement holds the class at a member
  std::uint32_t generation = 0;   ///< the latest generation of the class

  void add(const Offer& other) noexcept {
    std::ranges::transform(free, other.free, free.begin(), std::bit_and<>());
    lanes &= other.lanes;
    undisturbed &= other.undisturbed;
    generation = std::max(generation, other.generation);
  }
};

/// A reduction operator on one Offer, which travels as bytes.
void combine(void*, const void* in, void* inout, std::size_t bytes, const dtype::Datatype&) {
  if (bytes != sizeof(Offer)) throw Error(ErrorClass::intern, "offers are combined whole");
  Offer own, other;
  std::memcpy(&own, inout, sizeof own);
  std::memcpy(&other, in, sizeof other);
  own.add(other);
  std::memcpy(inout, &own, sizeof own);
}

const dtype::Op& combination() {
  static const dtype::Op& op = dtype::Op::make({.call = combine, .context = nullptr}, true);
  return op;
}

/// Holds a class for the lifetime of the object, if no other agreement holds it.
class Hold {
 public:
  Hold(IndexSpace& space, std::uint32_t class_number)
      : space_(space), class_(class_number), free_(space.hold(class_number)) {}
  ~Hold() {
    if (free_) space_.let_go(class_);
  }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;

  Offer offer(unsigned lanes) const noexcept {
    const std::uint64_t lane_bits = (std::uint64_t{1} << lanes) - 1;
    const std::uint32_t generation = space_.generation(class_);
    if (!free_) return {.lanes = lane_bits, .undisturbed = 0, .generation = generation};
    return {.free = *free_, .lanes = lane_bits, .generation = generation};
  }

 private:
  IndexSpace& space_;
  std::uint32_t class_;
  std::optional<IndexSpace::Bits> free_;
};

std::optional<std::uint32_t> lowest(const IndexSpace::Bits& bits) noexcept {
  const auto word = std::ranges::find_if(bits, [](std::uint64_t each) { return each != 0; });
  if (word == bits.end()) return {};
  return static_cast<std::uint32_t>((word - bits.begin()) * 64 + std::countr_zero(*word));
}

}  // namespace

Task agree(coll::Channel& channel, IndexSpace& space, std::uint32_t start, unsigned lanes, ContextId& result) {
  const coll::Reduction together{combination(), dtype::byte_type()};
  bool disturbed = false;
  for (std::uint32_t attempt = 0;; ++attempt) {
    const std::uint32_t class_number = (start + attempt) % IndexSpace::classes;
    const Hold hold(space, class_number);
    Offer offer = hold.offer(lanes);
    const auto bytes = std::as_writable_bytes(std::span(&offer, 1));
    const coll::Arguments arguments{.input = bytes, .result = bytes, .reduction = &together};
    Task combined = coll::allreduce_recursive_doubling(channel, arguments);
    co_await combined;
    channel.check();
    if (const auto bit = lowest(offer.free)) {
      result.index = IndexSpace::index(class_number, *bit);
      result.lane = result.index % static_cast<unsigned>(std::popcount(offer.lanes));
      result.generation = offer.generation + 1;
      space.note_generation(class_number, result.generation);
      space.take(result.index);
      co_return;
    }
    disturbed = disturbed || offer.undisturbed == 0;
    if (attempt % IndexSpace::classes != IndexSpace::classes - 1) continue;
    // Freed communicators return their indices with a delay.
    if (!disturbed && attempt > patience * IndexSpace::classes) {
      throw Error(ErrorClass::other,
                  "no index for a new communicator is free in all its members: too many communicators are alive; free "
                  "those that are not needed, with none of their operations left");
    }
    disturbed = false;
  }
}

}  // namespace bowline::comm
