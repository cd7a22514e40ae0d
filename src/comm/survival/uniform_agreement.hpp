// SPDX-License-Identifier: BSD-3-Clause
// UniformAgreement: one member's part in an agreement that ends with the same result at all members that live,
// whichever members fail meanwhile. Votes travel up a tree and the result travels down, as in the early returning
// agreement of Herault et al. (SC15). It is only the algorithm: the caller carries messages and says who has failed.
//
// In the tree, which is one by rank, a member has up to eight children. A failed member drops out of it: its children
// become children of its nearest living ancestor, or, if there is none, of the root, which is the lowest living rank. A
// member votes for its whole subtree once all its children have voted, and votes again if it gets another parent. The
// root turns its vote into the result.
//
// Why all results are the same: nobody is taken for failed who lives, so while a member lives, every result that
// reaches its subtree has passed through it. A new root waits for a new vote of each member that has lost all its
// ancestors, and asks it: a member that has got the result of an earlier root answers with that. A member returns as
// soon as it has the result; if all members that have it fail before one of their messages arrives, the others agree
// anew.
//
// Required: messages from one member to another arrive in order, and failed() is called for a member after the last of
// its messages. Every member must learn of each failed member whose message it awaits.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <vector>

#include "comm/survival/vote.hpp"

namespace bowline::comm {

class UniformAgreement {
 public:
  /// A question asks for the result, if there is one; the votes in it mean nothing.
  enum class Message : std::uint8_t { vote, result, question };
  /// Sends to a member; it may be called during any function below. Messages to a failed member may be dropped.
  using Send = std::function<void(int to, Message message, const Vote& vote)>;

  UniformAgreement(int size, int rank, Send send);

  /// This member takes part, with its own vote. To be called once; before it, only failed() may be called.
  void join(Vote own);
  void arrived(int from, Message message, const Vote& vote);
  /// This member has failed. May be called several times.
  void failed(int rank);

  /// nullptr until the members have agreed.
  const Vote* result() const noexcept { return result_ ? &*result_ : nullptr; }
  /// The members whose messages this one awaits; none once there is a result.
  std::vector<int> awaited() const;

 private:
  std::vector<int> children() const;
  void add_subtree(int top, std::vector<int>& found) const;
  int parent() const;
  void go_on();
  void end_with(const Vote& result);

  const int size_;
  const int rank_;
  const Send send_;
  std::vector<bool> failed_;  ///< by rank
  std::optional<Vote> sum_;   ///< this member's vote and all that have arrived
  std::set<int> voters_;      ///< the members whose votes have arrived
  std::set<int> asked_;       ///< the members that this one has asked
  std::set<int> askers_;      ///< the members that have asked this one before it had the result
  int voted_to_ = -1;         ///< the parent that has this member's vote
  std::optional<Vote> result_;
};

}  // namespace bowline::comm
