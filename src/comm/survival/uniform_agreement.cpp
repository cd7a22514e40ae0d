// SPDX-License-Identifier: BSD-3-Clause
#include "comm/survival/uniform_agreement.hpp"

#include <algorithm>
#include <utility>

namespace bowline::comm {
namespace {

// Of the tree. With 8 ranks on two cores an agreement takes 25 to 46 us; with 2 in place of 8 it takes 49 to 68 us
// (Intel Xeon of the fourth generation), because more ranks in a row must get a core.
constexpr int arity = 8;

int ancestor_of(int rank) noexcept {
  return rank == 0 ? -1 : (rank - 1) / arity;
}

}  // namespace

UniformAgreement::UniformAgreement(int size, int rank, Send send)
    : size_(size), rank_(rank), send_(std::move(send)), failed_(static_cast<std::size_t>(size)) {}

void UniformAgreement::join(Vote own) {
  sum_ = std::move(own);
  for (int rank = 0; rank < size_; ++rank) {
    if (failed_[static_cast<std::size_t>(rank)]) sum_->note_failed(rank);
  }
  go_on();
}

void UniformAgreement::arrived(int from, Message message, const Vote& vote) {
  if (result_) {
    if (message != Message::result) send_(from, Message::result, *result_);
    return;
  }
  switch (message) {
    case Message::vote:
      sum_->add(vote);
      voters_.insert(from);
      return go_on();
    case Message::result:
      return end_with(vote);
    case Message::question:
      askers_.insert(from);
  }
}

/// A member whose vote has arrived has contributed, so its end is no news for this agreement.
void UniformAgreement::failed(int rank) {
  if (failed_[static_cast<std::size_t>(rank)]) return;
  failed_[static_cast<std::size_t>(rank)] = true;
  if (!sum_ || result_) return;
  if (!voters_.contains(rank)) sum_->note_failed(rank);
  go_on();
}

/// Adds the highest living members at and below `top`.
void UniformAgreement::add_subtree(int top, std::vector<int>& found) const {
  if (top >= size_) return;
  if (!failed_[static_cast<std::size_t>(top)]) return found.push_back(top);
  for (int child = arity * top + 1; child <= arity * top + arity; ++child) add_subtree(child, found);
}

std::vector<int> UniformAgreement::children() const {
  std::vector<int> found;
  if (parent() == rank_) add_subtree(0, found);  // those that have lost all their ancestors
  std::erase(found, rank_);
  for (int child = arity * rank_ + 1; child <= arity * rank_ + arity; ++child) add_subtree(child, found);
  return found;
}

/// The nearest living ancestor, else the lowest living member; this member itself if it is the root.
int UniformAgreement::parent() const {
  int above = ancestor_of(rank_);
  while (above >= 0 && failed_[static_cast<std::size_t>(above)]) above = ancestor_of(above);
  if (above >= 0) return above;
  return static_cast<int>(std::ranges::find(failed_, false) - failed_.begin());
}

std::vector<int> UniformAgreement::awaited() const {
  if (!sum_ || result_) return {};
  std::vector<int> missing = children();
  std::erase_if(missing, [this](int child) { return voters_.contains(child); });
  if (missing.empty()) missing.push_back(voted_to_);
  return missing;
}

void UniformAgreement::go_on() {
  bool all_voted = true;
  for (const int child : children()) {
    if (voters_.contains(child)) continue;
    all_voted = false;
    if (ancestor_of(child) != rank_ && asked_.insert(child).second) send_(child, Message::question, *sum_);
  }
  if (!all_voted) return;
  const int above = parent();
  if (above == rank_) return end_with(*sum_);
  if (std::exchange(voted_to_, above) != above) send_(above, Message::vote, *sum_);
}

void UniformAgreement::end_with(const Vote& result) {
  result_ = result;
  std::set<int> all(voters_);  // also those that this member did not take for its children
  all.merge(askers_);
  for (const int child : children()) all.insert(child);
  for (const int member : all) send_(member, Message::result, *result_);
}

}  // namespace bowline::comm
