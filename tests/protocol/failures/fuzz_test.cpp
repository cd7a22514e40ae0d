// SPDX-License-Identifier: BSD-3-Clause
// An engine among peers that send what they should, damaged messages, messages again, and anything: whatever comes, it
// stores nothing outside the buffers that receive, every peer that sent what cannot be is told so with one sentence,
// and all that waited for it ends. Sometimes the communicator is interrupted meanwhile.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <iostream>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "fuzz_peers.hpp"
#include "proto/services/address_search.hpp"
#include "proto/services/partitioned.hpp"
#include "recording.hpp"
#include "support/blocks.hpp"
#include "support/seed.hpp"
#include "wrong_messages.hpp"

namespace bowline::proto::fuzz {
namespace {

constexpr std::uint32_t parts = with_purpose(test_context, Purpose::partitioned);
constexpr int tags = 3;
constexpr int most_steps = 400;
const Error interruption(ErrorClass::timeout, "the communicator is interrupted");

/// Rank 0, its requests, and what its peers have to say.
class World {
 public:
  World(std::mt19937& random, std::uint64_t& wrong) : wrong_messages_(random), wrong_(wrong) {
    switch (below(5)) {
      case 0:
        device_.limits = {.max_body = 2000, .max_prefix = 64, .put_from = 0};
        break;
      case 1:
        device_.limits = {.max_body = 2000, .max_prefix = 64, .get_from = 0};
        device_.key = Bytes(12, std::byte{0x11});
        break;
      case 2:
        device_.limits = {.max_body = 2000, .max_prefix = 64, .max_posted = 3000, .max_iov = 4};
        break;
      case 3: {
        device_.limits = {.max_body = 2000, .max_prefix = 64, .single_copy_from = 0, .measured = true};
        engine_.rendezvous().paths().pin(below(2) == 0 ? Path::single_copy_by_both : Path::single_copy);
        break;
      }
      default:
        device_.limits = {.max_body = 2000, .max_prefix = 64, .single_copy_from = 0};
    }
    device_.delayed = device_.limits.single_copy_from != 0 && below(3) == 0;
    engine_.add_device(device_);
    engine_.liveness().use(&everybody_);
    engine_.services().add(std::make_unique<PartitionedTable>(engine_));
    engine_.services().add(std::make_unique<AddressSearch>(engine_, everybody_));
    for (int peer = 1; peer < ranks; ++peer) {
      engine_.peer(peer);
      for (int i = 0; i < 3; ++i) begin_something(peer);
      offer_something(peer);
    }
  }

  /// What one peer says next.
  void step() {
    if (said_.empty() || below(8) == 0) offer_something(any_peer());
    if (below(6) == 0) begin_something(any_peer());
    if (below(8) == 0 && !requests_.empty()) engine_.cancel(*requests_[below(requests_.size())]);
    if (below(10) == 0) probe();
    if (steps_++ == interrupts_at_) engine_.interruptions().interrupt(test_context, interruption);
    Message message = next_message();
    switch (below(10)) {
      case 0:
      case 1:
        wrong_messages_.damage(message);
        break;
      case 2:
        message = wrong_messages_.anything();
        break;
      case 3:
        message = again_.empty() ? wrong_messages_.anything() : again_[below(again_.size())];
        break;
      default:
        --wrong_;  // that was a right one
    }
    ++wrong_;
    if (again_.size() < 64) again_.push_back(message);
    device_.arriving.push_back(std::move(message));
    engine_.progress();
    while (!device_.posted.empty()) device_.end_post();
    if (device_.delayed && below(2) == 0) end_accesses();
    answer();
  }

  /// How many peers the engine still listens to.
  int left() const { return ranks - 1 - broken_; }
  int broken() const { return broken_; }

  /// Ends everything: no peer is believed any more.
  void finish() {
    for (int peer = 1; peer < ranks; ++peer) {
      transport::Header wrong;
      wrong.kind = 0xfe;
      device_.arriving.push_back({peer, wrong, {}, {}});
    }
    engine_.progress();
    end_accesses();
    while (!device_.posted.empty()) device_.end_post();
    for (PartitionedSend* const send : sends_) {
      for (int i = 0; i < 4; ++i) {
        if (send->done) break;
        try {
          send->check_ready(i);
          send->ready(i);
        } catch (const Error&) {  // that one is ready already
        }
      }
    }
    // What was begun with a peer that is not heard any more fails when calls have waited for long.
    for (int i = 0; i < 8; ++i) engine_.liveness().rested(true);
    answer();
    EXPECT_EQ(broken_, ranks - 1);
    for (Request* const request : requests_) {
      EXPECT_TRUE(request->done) << "something waits for a peer that is not heard any more";
      engine_.release(*request);
    }
    for (const auto& each : received_) EXPECT_TRUE(each->guarded()) << "something was stored beside a buffer";
    for (PartitionedSend* const send : sends_) {
      EXPECT_TRUE(send->done);
      engine_.release(*send);
    }
    for (PartitionedReceive* const receive : receives_) {
      EXPECT_TRUE(receive->done);
      engine_.release(*receive);
    }
    for (Unexpected* const message : taken_) {
      Bytes little(10);
      Request& request = engine_.ireceive(*message, {little.data(), little.size(), &dtype::byte_type()});
      EXPECT_TRUE(request.done);
      engine_.release(request);
    }
  }

 private:
  std::uint32_t below(std::size_t n) { return wrong_messages_.below(n); }
  int any_peer() { return wrong_messages_.any_peer(); }
  transport::Header header(int source, std::uint32_t in = test_context) {
    return {.context = in, .source = source, .tag = static_cast<int>(below(tags))};
  }

  // ---- the engine's user

  void begin_something(int peer) {
    const std::size_t bytes = below(3) == 0 ? below(100) : 1 + below(9000);
    switch (below(7)) {
      case 0:
      case 1:
        return keep(engine_.isend(peer, header(0), {mine_.data(), bytes, &dtype::byte_type()},
                                  below(2) == 0 ? Mode::synchronous : Mode::standard));
      case 2:
        return keep(engine_.isend(peer, header(0), {blocks_.memory.data(), 1, &blocks_.type()}));
      case 3:
        return begin_receive(below(3) == 0 ? any_source : peer, bytes);
      case 4: {
        auto& into = *holes_.emplace_back(std::make_unique<test::Blocks>(40, 100));
        return keep(engine_.ireceive({test_context, peer, static_cast<int>(below(tags))},
                                     {into.memory.data(), 1, &into.type()}));
      }
      case 5: {
        auto& send =
            PartitionedSend::make(engine_, peer, header(0, parts), {4, {mine_.data(), 500, &dtype::byte_type()}});
        sends_.push_back(&send);
        engine_.start(send);
        for (int i = 0; i < 4; ++i) {
          if (below(2) == 0) send.ready(i);
        }
        return;
      }
      default: {
        auto& into = *received_.emplace_back(std::make_unique<Received>(4 * bytes));
        auto& receive = PartitionedReceive::make(engine_, peer, header(peer, parts),
                                                 {4, {into.data(), bytes, &dtype::byte_type()}});
        receives_.push_back(&receive);
        engine_.start(receive);
      }
    }
  }
  void begin_receive(int source, std::size_t bytes) {
    auto& into = *received_.emplace_back(std::make_unique<Received>(bytes));
    const int tag = below(3) == 0 ? any_tag : static_cast<int>(below(tags));
    keep(engine_.ireceive({test_context, source, tag}, {into.data(), into.size(), &dtype::byte_type()}));
  }
  void keep(Request& request) {
    if (!request.shared) requests_.push_back(&request);
  }
  void probe() {
    try {
      Unexpected* const message = engine_.improbe({test_context, any_peer(), any_tag});
      if (message != nullptr) taken_.push_back(message);
    } catch (const Error& error) {
      EXPECT_STREQ(error.what(), interruption.what());
      EXPECT_GT(steps_, interrupts_at_);
    }
  }
  void end_accesses() {
    for (; begun_ > 0; --begun_) device_.end_access();
  }

  // ---- the peers

  /// A message that a peer may send at any time.
  void offer_something(int peer) {
    const std::size_t bytes = 1 + below(below(2) == 0 ? 100 : 9000);
    switch (below(9)) {
      case 0:
      case 1:
        return say(peer, Kind::eager, {}, header(peer), Bytes(below(1500), std::byte{1}));
      case 2:
        return say(peer, Kind::eager_synchronous, as_prefix(SendId{7}), header(peer), Bytes(below(1500), std::byte{2}));
      case 3:
      case 4: {
        const ReadyToSend offer{reinterpret_cast<std::uintptr_t>(theirs_.data()), bytes, 1 + below(5)};
        return say(peer, Kind::ready_to_send, as_prefix(offer), header(peer), device_.key);
      }
      case 5:
        return say(peer, PartitionedKind::offer, as_prefix(PartitionedOffer{1 + below(5), bytes}), header(peer, parts));
      case 6:
        return say(peer, below(2) == 0 ? Kind::announce_all : Kind::announce_long, {}, {});
      case 7:
        if (below(2) == 0) return say(peer, Kind::pause, {}, {.context = test_context});
        return say(peer, Kind::resume, as_prefix(Resume{below(2) == 0 ? all_messages : below(4)}),
                   {.context = test_context});
      default:
        if (below(2) == 0) return say(peer, Kind::cancel, as_prefix(SendId{1 + below(8)}), header(peer));
        return say(peer, address_kind::where_is, as_prefix(Sought{below(ranks)}), {});
    }
  }
  void say(int peer, Kind kind, std::span<const std::byte> prefix, transport::Header head, Bytes body = {}) {
    head.kind = static_cast<std::uint8_t>(kind);
    said_.push_back({peer, head, {prefix.begin(), prefix.end()}, std::move(body)});
  }
  /// What the peers answer to what the engine has sent.
  void answer() {
    for (; answered_ < device_.sent.size(); ++answered_) {
      const Message& sent = device_.sent[answered_];
      switch (sent.kind()) {
        case Kind::eager_synchronous:
          say(sent.rank, Kind::finished, as_prefix(SendId{sent.read<SendId>().send_id}), sent.header);
          break;
        case Kind::ready_to_send:
          answer_offer(sent.rank, sent.read<ReadyToSend>());
          break;
        case Kind::clear_to_send:
          send_pieces(sent.rank, sent.read<ClearToSend>());
          break;
        case Kind::clear_to_put: {
          const auto clear = sent.read<ClearToPut>();
          say(sent.rank, Kind::placed,
              as_prefix(Placed{clear.receive_id, clear.send_id, below(2) == 0 ? clear.bytes : 0}), sent.header);
          break;
        }
        case Kind::clear_to_share: {
          const auto clear = sent.read<ClearToPut>();
          const std::uint64_t written = below(2) == 0 ? clear.bytes - front_part(clear.bytes) : 0;
          say(sent.rank, Kind::placed, as_prefix(Placed{clear.receive_id, clear.send_id, written}), sent.header);
          break;
        }
        case Kind::placed: {
          const auto placed = sent.read<Placed>();
          if (placed.written == 0)
            say(sent.rank, Kind::clear_to_send, as_prefix(ClearToSend{placed.send_id, 9, 1}), {});
          break;
        }
        case Kind::cancel:
          if (below(2) == 0) say(sent.rank, Kind::cancelled, sent.prefix, sent.header);
          break;
        case Kind::broken_off:
          check_sentence(sent);
          break;
        default:
          answer_partitioned(sent);
      }
    }
  }
  void answer_partitioned(const Message& sent) {
    if (sent.kind() == PartitionedKind::offer) {
      say(sent.rank, PartitionedKind::ready,
          as_prefix(PartitionedReady{sent.read<PartitionedOffer>().send_id, 1 + below(9)}), sent.header);
    } else if (sent.kind() == PartitionedKind::ready) {
      for (std::size_t at = 0; at < 400; at += 100) {
        say(sent.rank, PartitionedKind::data, as_prefix(Data{sent.read<PartitionedReady>().receive_id, at}),
            sent.header, Bytes(100, std::byte{4}));
      }
    }
  }
  void answer_offer(int peer, const ReadyToSend& offer) {
    const auto memory = reinterpret_cast<std::uintptr_t>(theirs_.data());
    switch (offer.bytes == 0 ? 0 : below(4)) {
      case 0:
        return say(peer, Kind::finished, as_prefix(SendId{offer.send_id}), {});
      case 1:
        return say(peer, Kind::clear_to_put, as_prefix(ClearToPut{offer.send_id, 9, 1 + below(offer.bytes), memory}),
                   {});
      case 2:
        say(peer, Kind::clear_to_share, as_prefix(ClearToPut{offer.send_id, 9, 1 + below(offer.bytes), memory}), {});
        return say(peer, Kind::finished, as_prefix(SendId{offer.send_id}), {});
      default:
        return say(peer, Kind::clear_to_send,
                   as_prefix(ClearToSend{offer.send_id, 9, 1 + below(offer.bytes), wrong_messages_.number(),
                                         below(4) == 0 ? 1U : 0U}),
                   {});
    }
  }
  void send_pieces(int peer, const ClearToSend& clear) {
    for (std::uint64_t at = 0; at < clear.bytes; at += 1500) {
      say(peer, Kind::data, as_prefix(Data{clear.receive_id, at}), {},
          Bytes(std::min<std::uint64_t>(1500, clear.bytes - at), std::byte{3}));
    }
  }
  /// The engine does not listen to that peer any more.
  void check_sentence(const Message& sent) {
    const std::string_view text(reinterpret_cast<const char*>(sent.body.data()), sent.body.size());
    const bool repeats = text.starts_with("it does not take messages of this process any more");
    EXPECT_TRUE(repeats || text.find("rank " + std::to_string(sent.rank)) != std::string_view::npos) << text;
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c >= ' ' && c <= '~'; })) << text;
    ++broken_;
    std::erase_if(said_, [&](const Message& message) { return message.rank == sent.rank; });
  }

  Message next_message() {
    if (said_.empty()) return wrong_messages_.anything();
    // What one peer says comes in order.
    const std::size_t which = below(std::min<std::size_t>(said_.size(), 8));
    const int peer = said_[which].rank;
    const auto first = std::ranges::find(said_, peer, &Message::rank);
    Message message = std::move(*first);
    said_.erase(first);
    return message;
  }

  WrongMessages wrong_messages_;
  std::uint64_t& wrong_;
  Bytes mine_ = pattern(10'000, 1);
  Bytes theirs_ = pattern(10'000, 2);
  test::Blocks blocks_{40, 100};
  std::vector<std::unique_ptr<Received>> received_;
  std::vector<std::unique_ptr<test::Blocks>> holes_;
  int begun_ = 0;  ///< accesses to the peers' memory
  RecordingDevice device_;
  Senders everybody_;
  OwnerLock lock_;
  Engine engine_{ranks,
                 [this](int rank) { return std::make_unique<Guarded>(device_.connect(rank, {}), theirs_, begun_); },
                 WaitPolicy{}, lock_};
  std::vector<Request*> requests_;
  std::vector<PartitionedSend*> sends_;
  std::vector<PartitionedReceive*> receives_;
  std::vector<Unexpected*> taken_;
  std::deque<Message> said_;    ///< by the peers, and has not arrived
  std::vector<Message> again_;  ///< what has arrived, some of it
  std::size_t answered_ = 0;    ///< of what the engine has sent
  int broken_ = 0;
  int steps_ = 0;
  int interrupts_at_ = below(4) == 0 ? static_cast<int>(below(most_steps)) : most_steps;  ///< the communicator
};

constexpr unsigned shares = 4;  // of what is made up with one seed, for tests that run at the same time

class EngineFuzz : public testing::TestWithParam<std::tuple<std::uint32_t, unsigned>> {};

TEST_P(EngineFuzz, WhateverComesIsDealtWithOrRefused) {
  const auto [seed, share] = GetParam();
  std::cout << "seed " << seed << ", share " << share << '\n';
  std::seed_seq mixture{seed, share};
  std::mt19937 random(mixture);
  const std::uint64_t most = test::fuzz_messages() / (test::seeds().size() * shares);
  std::uint64_t wrong = 0, refusals = 0, right = 0;
  while (wrong < most && !testing::Test::HasFailure()) {
    World world(random, wrong);
    for (int steps = 0; steps < most_steps && world.left() > 2; ++steps) {
      const std::uint64_t before = wrong;
      world.step();
      right += wrong == before ? 1 : 0;
    }
    refusals += static_cast<std::uint64_t>(world.broken());
    world.finish();
  }
  EXPECT_GT(refusals, most / 20);
  EXPECT_GT(right, most / 2);
  std::cout << wrong << " wrong messages among " << right << " right ones, " << refusals << " connections broken off\n";
}

INSTANTIATE_TEST_SUITE_P(Seeds, EngineFuzz,
                         testing::Combine(testing::ValuesIn(test::seeds()), testing::Range(0U, shares)));

}  // namespace
}  // namespace bowline::proto::fuzz
