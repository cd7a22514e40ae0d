// SPDX-License-Identifier: BSD-3-Clause
// IndexOffer: what the members of a new communicator tell each other in order to agree on its context id.
#pragma once

#include <cstdint>
#include <optional>

#include "comm/context_id.hpp"
#include "comm/index_space.hpp"

namespace bowline::comm {

/// The offer of one member, or the combined offers of several. Travels as bytes.
struct IndexOffer {
  IndexSpace::Bits free{};
  std::uint64_t lanes = 0;        ///< one bit set per lane of the member
  std::uint32_t undisturbed = 1;  ///< 0: another agreement holds the class at a member
  std::uint32_t generation = 0;   ///< the latest generation of the class

  void add(const IndexOffer& other) noexcept;
};

/// Holds a class for the lifetime of the object, if no other agreement holds it.
class ClassHold {
 public:
  ClassHold(IndexSpace& space, std::uint32_t class_number)
      : space_(space), class_(class_number), free_(space.hold(class_number)) {}
  ~ClassHold() {
    if (free_) space_.let_go(class_);
  }
  ClassHold(const ClassHold&) = delete;
  ClassHold& operator=(const ClassHold&) = delete;

  /// `lanes`: the number of lanes of this process.
  IndexOffer offer(unsigned lanes) const noexcept;
  /// The context id that all members take if they have combined their offers to `all`; the index is then in use here.
  /// Nothing if no index of the class is free at all members.
  std::optional<ContextId> take(const IndexOffer& all) const;

 private:
  IndexSpace& space_;
  std::uint32_t class_;
  std::optional<IndexSpace::Bits> free_;
};

/// Chooses the classes that an agreement tries, one after the other, from a first one.
class ClassSearch {
 public:
  explicit ClassSearch(std::uint32_t start) noexcept : start_(start) {}

  std::uint32_t class_number() const noexcept { return (start_ + attempt_) % IndexSpace::classes; }
  /// The current class has no index that is free at all members. All members call this with the same offers. Throws
  /// Error (other) if no class has one.
  void next(const IndexOffer& all);

 private:
  std::uint32_t start_;
  std::uint32_t attempt_ = 0;
  bool disturbed_ = false;
};

}  // namespace bowline::comm
