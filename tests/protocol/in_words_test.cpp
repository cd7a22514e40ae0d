// SPDX-License-Identifier: BSD-3-Clause
// proto/in_words: operations as the user knows them.
#include "proto/in_words.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "proto/exchange.hpp"
#include "proto/liveness/process_directory.hpp"
#include "proto/sending/bsend_buffer.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

/// A communicator of ranks 3, 2 and 1; all other contexts belong to none.
class Reversed final : public ProcessDirectory {
 public:
  static constexpr std::uint32_t own = make_context(1, 0, Purpose::point_to_point);
  static constexpr std::uint32_t collective = make_context(1, 0, Purpose::collective);
  static bool is_own(std::uint32_t context) { return index_of(context) == index_of(own); }
  int process(std::uint32_t context, int source) override { return is_own(context) ? 3 - source : -1; }
  std::string communicator(std::uint32_t context) override { return is_own(context) ? "C" : "a communicator"; }
  int source(std::uint32_t context, int rank) override { return is_own(context) ? 3 - rank : -1; }
  int senders(std::uint32_t) override { return 3; }
  void seek(int) override {}
  bool approachable(int) override { return false; }
  bool has_left(int) override { return false; }
  void lost(int, const Error&) noexcept override {}
};

class InWords : public ProtocolTest {
 protected:
  InWords() {
    engine.liveness().use(&directory);
    device.refuse = [](int) { return true; };  // sends stay
  }
  std::string words(const Request& request) { return request_in_words(engine, request); }
  Reversed directory;
  Bytes data = pattern(100), other = pattern(100);
};

TEST_F(InWords, Receives) {
  EXPECT_EQ(words(ireceive(2, 7, data)), "a receive on C from rank 2 (1 of MPI_COMM_WORLD), tag 7");
  EXPECT_EQ(words(ireceive(any_source, any_tag, data)), "a receive on C from any rank, any tag");
  EXPECT_EQ(match_in_words(engine, {make_context(5, 0, Purpose::point_to_point), 2, 7}),
            "on a communicator from rank 2, tag 7");
  engine.liveness().use(nullptr);
  EXPECT_EQ(match_in_words(engine, {context, 2, 7}), "on a communicator from rank 2, tag 7");
}

TEST_F(InWords, Sends) {
  EXPECT_EQ(words(isend(3, 7, data)), "a send on C to rank 0 (3 of MPI_COMM_WORLD), tag 7");
  EXPECT_EQ(send_in_words(engine, header(0, 7, make_context(5, 0, Purpose::point_to_point)), 2),
            "on a communicator to rank 2 of MPI_COMM_WORLD, tag 7");
  EXPECT_EQ(sends_awaited(engine, nullptr).words, "for a send on C to rank 0 (3 of MPI_COMM_WORLD), tag 7");
  isend(3, 8, data);
  EXPECT_EQ(sends_awaited(engine, nullptr).words,
            "for 2 sends, one of them a send on C to rank 0 (3 of MPI_COMM_WORLD), tag 7");
}

TEST_F(InWords, MessagesThatAReceiveNearlyAccepts) {
  const std::uint32_t foreign = make_context(5, 0, Purpose::point_to_point);
  const auto awaited = [&](int source, int tag) {
    const Match match{context, source, tag};
    return match_awaited(engine, &match).words;
  };
  device.deliver(1, header(2, 7, foreign), data);
  engine.progress();
  EXPECT_EQ(awaited(2, 7),
            "on C from rank 2 (1 of MPI_COMM_WORLD), tag 7 (not taken: 1 message on a communicator from "
            "rank 2, tag 7)");
  EXPECT_EQ(awaited(any_source, 7), "on C from any rank, tag 7");
  device.deliver(2, header(1, 7), data);
  engine.progress();
  EXPECT_EQ(awaited(2, 7),
            "on C from rank 2 (1 of MPI_COMM_WORLD), tag 7 (not taken: 1 message on C from rank 1 (2 of "
            "MPI_COMM_WORLD), tag 7)");
  for (const int tag : {8, 8}) device.deliver(1, header(2, tag), data);
  engine.progress();
  const std::string two = " (not taken: 2 messages on C from rank 2 (1 of MPI_COMM_WORLD), tag 8)";
  EXPECT_EQ(awaited(2, 7), "on C from rank 2 (1 of MPI_COMM_WORLD), tag 7" + two);
  Request& receive = ireceive(2, 7, other);
  EXPECT_EQ(receive_awaited(engine, &receive).words, "on C from rank 2 (1 of MPI_COMM_WORLD), tag 7" + two);
  EXPECT_EQ(request_awaited(engine, &receive).words,
            "for a receive on C from rank 2 (1 of MPI_COMM_WORLD), tag 7" + two);
  device.deliver(1, header(2, 9), data);
  engine.progress();
  EXPECT_EQ(awaited(any_source, 6),
            "on C from any rank, tag 6 (not taken: 4 messages such as on C from rank 1 (2 of "
            "MPI_COMM_WORLD), tag 7)");
  EXPECT_EQ(awaited(3, 4), "on C from rank 3 (0 of MPI_COMM_WORLD), tag 4");
}

TEST_F(InWords, NothingIsLeftToSend) {
  EXPECT_EQ(sends_awaited(engine, nullptr).words, "for messages to leave");
}

TEST_F(InWords, Exchanges) {
  const auto begin = [&](int to, int from) -> Request& {
    return iexchange(engine, {to, header(0, 7), buffer(data)}, {{context, from, 8}, buffer(other)});
  };
  const std::string receive = "a receive on C from rank 2 (1 of MPI_COMM_WORLD), tag 8";
  const std::string send = "a send on C to rank 2 (1 of MPI_COMM_WORLD), tag 7";
  Request& both = begin(1, 2);
  Request& sending = begin(1, no_process);
  Request& receiving = begin(no_process, 2);
  EXPECT_EQ(words(both), receive + " and " + send);
  EXPECT_EQ(words(sending), send);
  EXPECT_EQ(words(receiving), receive);
  device.refuse = nullptr;
  engine.progress();
  EXPECT_EQ(words(both), receive) << "the message has left";
  for (int message = 0; message < 2; ++message) device.deliver(1, header(2, 8), other);
  for (Request* const each : {&both, &sending, &receiving}) {
    engine.wait(*each);
    engine.release(*each);
  }
}

TEST_F(InWords, PartitionedOperations) {
  auto& send = PartitionedSend::make(engine, 1, header(0, 7), {2, buffer(data)});
  auto& receive = PartitionedReceive::make(engine, 2, header(1, 8), {2, buffer(other)});
  EXPECT_EQ(words(send), "a partitioned send on C to rank 2 (1 of MPI_COMM_WORLD), tag 7");
  EXPECT_EQ(words(receive), "a partitioned receive on C from rank 1 (2 of MPI_COMM_WORLD), tag 8");
  engine.release(send);
  engine.release(receive);
}

TEST_F(InWords, Flushes) {
  BsendBuffer buffered;
  buffered.attach_automatic();
  buffered.send(engine, 1, header(0, 7), buffer(data));
  Request& flush = buffered.flush_request(context);
  EXPECT_EQ(words(flush), "buffered messages to leave");
  device.refuse = nullptr;
  engine.wait(flush);
  engine.release(flush);
}

TEST_F(InWords, CollectiveOperations) {
  constexpr int tag = 5;
  const auto expect = [&](const std::string& ranks) {
    std::vector<int> awaited = awaited_in(engine, directory.collective, tag);
    EXPECT_EQ(collective_in_words(engine, directory.collective, tag, awaited), "on C, operation 5" + ranks);
  };
  expect("");
  engine.ireceive({directory.collective, 2, tag}, buffer(data));
  expect(", awaiting rank 2 (1 of MPI_COMM_WORLD)");
  engine.isend(3, {.context = directory.collective, .source = 0, .tag = tag}, buffer(data));
  engine.ireceive({directory.collective, 2, tag}, buffer(data));
  engine.ireceive({directory.collective, 1, tag + 1}, buffer(data));  // of another operation
  expect(", awaiting ranks 2 (1 of MPI_COMM_WORLD) and 0 (3 of MPI_COMM_WORLD)");
}

TEST_F(InWords, ManyRanks) {
  engine.liveness().use(nullptr);
  const auto of = [&](std::vector<int> awaited) { return collective_in_words(engine, context, 1, std::move(awaited)); };
  EXPECT_EQ(of({3, 1, 2, 4}),
            "on a communicator, operation 1, awaiting ranks 1 of MPI_COMM_WORLD, 2 of "
            "MPI_COMM_WORLD, 3 of MPI_COMM_WORLD and 4 of MPI_COMM_WORLD");
  EXPECT_TRUE(of({5, 3, 1, 2, 4, 6, 7}).ends_with("4 of MPI_COMM_WORLD and 3 others"));
}

}  // namespace
}  // namespace bowline::proto
