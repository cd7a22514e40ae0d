// SPDX-License-Identifier: BSD-3-Clause
#include "api/processes/joining.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "api/communicators/making.hpp"
#include "api/processes/at_root.hpp"
#include "api/processes/byte_list.hpp"
#include "api/processes/connections.hpp"
#include "base/random_source.hpp"
#include "base/this_node.hpp"
#include "runtime/jobs/contact.hpp"
#include "runtime/jobs/descriptor_wait.hpp"
#include "runtime/jobs/jobs.hpp"

namespace bowline::api {
namespace {

using runtime::Contact;
using runtime::Roster;

/// What the side that comes first chooses by lot.
struct Lot {
  std::uint32_t first_id;  ///< of the connections
  std::uint32_t unused = 0;
  std::uint64_t key;  ///< of the agreement on the context id
};

Lot draw() {
  const RandomSource random;
  constexpr std::uint32_t room = runtime::Jobs::most_id / 2;  // the other half is for the ids that follow
  return {.first_id = 1 + random() % room, .key = random_bits()};
}

std::vector<ByteList> unpacked(const Bytes& bytes) {
  const ByteList all = ByteList::read(bytes);
  std::vector<ByteList> each;
  for (std::size_t i = 0; i < all.size(); ++i) each.push_back(ByteList::read(all[i]));
  return each;
}

void check_disjoint(const Roster& own, const Roster& other) {
  for (const Roster::Process& each : own.processes) {
    const std::string& job = own.jobs[static_cast<std::size_t>(each.job)].name;
    const int same = other.job_named(job);
    const bool in_both = std::ranges::any_of(
        other.processes, [&](const Roster::Process& there) { return there.job == same && there.rank == each.rank; });
    if (!in_both) continue;
    throw Error(ErrorClass::comm, fmt::format("rank {} of job {} is a member of both communicators that are to be "
                                              "joined: join communicators that have no process in common",
                                              each.rank, job));
  }
}

/// Throws NoWay if a process of one side shares no memory with one of the other, and one of them has no network.
void check_ways(const Roster& own, const Roster& other, const std::vector<ByteList>& told_here,
                const std::vector<ByteList>& told_there) {
  const std::uint64_t node = own.processes.front().node;
  const auto is_here = [node](const Roster::Process& each) { return each.node == node; };
  if (std::ranges::all_of(own.processes, is_here) && std::ranges::all_of(other.processes, is_here)) return;
  const auto has_network = [](const ByteList& told) {
    for (std::size_t i = 2; i < told.size(); ++i) {
      if (!told[i].empty() && Contact::read(told[i]).networks.empty()) return false;
    }
    return true;
  };
  if (std::ranges::all_of(told_here, has_network) && std::ranges::all_of(told_there, has_network)) return;
  throw NoWay(ErrorClass::other,
              "the processes that are to be joined run on several nodes, and one of them has no network: start them on "
              "nodes that have one, and without BOWLINE_NETWORK_REACH=never");
}

class SocketTalk final : public Talk {
 public:
  explicit SocketTalk(runtime::Conversation conversation) : conversation_(std::move(conversation)) {}
  void send(std::span<const std::byte> message) override {
    runtime::DescriptorWait wait = patience();
    conversation_.send(message, wait);
  }
  Bytes receive() override {
    runtime::DescriptorWait wait = patience();
    return conversation_.receive(wait);
  }

 private:
  static runtime::DescriptorWait patience() {
    return {this_process().lanes(), "for the processes of the other job", std::nullopt};
  }
  runtime::Conversation conversation_;
};

/// One communicator that is about to be joined to another one.
class Joining {
 public:
  Joining(comm::Communicator& comm, int root) : comm_(comm), root_(root) {
    const std::vector<std::uint64_t> nodes = gather_all(comm.team(), this_node());
    own_ = Roster::of(comm.group(), nodes, this_process().processes());
  }

  comm::Communicator& join(const Meet& meet) {
    using State = Connections::State;
    introduce(meet);
    check_disjoint(own_, other_);
    while (true) {
      const Lot lot = share_lot();
      Connections connections(own_, other_, comes_first_, lot.first_id);
      const std::vector<ByteList> here = gather(connections.prepare());
      const std::vector<ByteList> there = unpacked(swap(here));
      const auto [own_state, own_words] = Connections::summary(here);
      const auto [state, words] = Connections::summary(there);
      if (own_state == State::failed) throw Error(ErrorClass::other, own_words);
      if (state == State::failed) throw Error(ErrorClass::other, words);
      if (own_state == State::id_is_taken || state == State::id_is_taken) continue;
      check_ways(own_, other_, here, there);
      connections.connect(there);
      connections.keep();
      return make(lot.key);
    }
  }

 private:
  /// All processes learn the roster of the other side.
  void introduce(const Meet& meet) {
    const Bytes told = at_root(comm_, root_, [&] {
      met_.emplace(meet(own_));
      Bytes all = met_->other.bytes();
      all.push_back(met_->comes_first ? std::byte{1} : std::byte{0});
      return all;
    });
    comes_first_ = told.back() != std::byte{0};
    other_ = Roster::read(std::span(told).first(told.size() - 1));
  }

  Lot share_lot() {
    const Bytes told = at_root(comm_, root_, [&]() -> Bytes {
      if (!comes_first_) return met_->talk->receive();
      const Lot lot = draw();
      const auto bytes = std::as_bytes(std::span(&lot, 1));
      met_->talk->send(bytes);
      return {bytes.begin(), bytes.end()};
    });
    Lot lot;
    if (told.size() != sizeof lot) throw Error(ErrorClass::other, "the other job has sent no lot");
    std::memcpy(&lot, told.data(), sizeof lot);
    return lot;
  }

  std::vector<ByteList> gather(const Bytes& mine) {
    std::vector<ByteList> all;
    for (const Bytes& each : gather_bytes(comm_, mine)) all.push_back(ByteList::read(each));
    return all;
  }

  /// What the processes of the other side have told.
  Bytes swap(const std::vector<ByteList>& here) {
    return at_root(comm_, root_, [&]() -> Bytes {
      ByteList all;
      for (const ByteList& each : here) all.add(each.bytes());
      if (!comes_first_) met_->talk->send(all.bytes());
      Bytes heard = met_->talk->receive();
      if (comes_first_) met_->talk->send(all.bytes());
      return heard;
    });
  }

  comm::Communicator& make(std::uint64_t key) const {
    comm::Communicators& all = this_process().communicators();
    const comm::Group& local = comm_.group();
    const comm::Group remote = comm::Group::of(other_.indices(this_process().processes()));
    const comm::Group everyone = comes_first_ ? comm::Group::unite(local, remote) : comm::Group::unite(remote, local);
    const comm::ContextId id = all.agree(everyone, key);
    comm::Communicator& made = all.make(id, local, {.remote = remote, .local_first = comes_first_});
    made.set_error_handler(*comm_.error_handler());
    return made;
  }

  comm::Communicator& comm_;
  const int root_;
  Roster own_, other_;
  bool comes_first_ = false;
  std::optional<Acquaintance> met_;  ///< at the root
};

}  // namespace

comm::Communicator& join(comm::Communicator& comm, int root, const Meet& meet) {
  return Joining(comm, root).join(meet);
}

std::unique_ptr<Talk> talk_over(runtime::Conversation conversation) {
  return std::make_unique<SocketTalk>(std::move(conversation));
}

Acquaintance exchange_rosters(std::unique_ptr<Talk> talk, bool comes_first, const Roster& own) {
  if (!comes_first) talk->send(own.bytes());
  Roster other = Roster::read(talk->receive());
  if (comes_first) talk->send(own.bytes());
  return {std::move(talk), comes_first, std::move(other)};
}

}  // namespace bowline::api
