// SPDX-License-Identifier: BSD-3-Clause
// Data from one queue pair to another: within a process, and between two.
#include <gtest/gtest.h>

#include <cstring>

#include "fabric_children.hpp"
#include "station.hpp"
#include "support/fabric/fabric_control.hpp"

namespace fabric::test {
namespace {

void fill(Buffer& buffer, int seed) {
  for (auto& byte : buffer.bytes()) byte = static_cast<std::byte>(seed++);
}

bool equal(Buffer& one, Buffer& other) {
  return std::memcmp(one.bytes().data(), other.bytes().data(), one.bytes().size()) == 0;
}

void expect_received(const ibv_wc& wc, std::uint64_t id, std::uint32_t length) {
  EXPECT_EQ(wc.status, IBV_WC_SUCCESS);
  EXPECT_EQ(wc.opcode, IBV_WC_RECV);
  EXPECT_EQ(wc.wr_id, id);
  EXPECT_EQ(wc.byte_len, length);
}

TEST(Transfers, ASendArrivesInTheOldestReceive) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    Buffer from(one.domain, 100, 0), to(other.domain, 200, IBV_ACCESS_LOCAL_WRITE);
    fill(from, 3);
    const ibv_sge pieces[] = {to.piece(0, 30), to.piece(50, 100)};
    other.receive(5, pieces);
    ASSERT_EQ(one.post(IBV_WR_SEND_WITH_IMM, 9, from.piece()), 0);
    const ibv_wc sent = one.next(), received = other.next();
    EXPECT_EQ(sent.wr_id, 9U);
    EXPECT_EQ(sent.opcode, IBV_WC_SEND);
    expect_received(received, 5, 100);
    EXPECT_EQ(received.wc_flags, static_cast<unsigned>(IBV_WC_WITH_IMM));
    EXPECT_EQ(received.imm_data, 9U);
    EXPECT_EQ(received.qp_num, other.pair->qp_num);
    EXPECT_EQ(received.src_qp, one.pair->qp_num);
    EXPECT_EQ(std::memcmp(to.bytes().data(), from.bytes().data(), 30), 0);
    EXPECT_EQ(std::memcmp(to.bytes().data() + 50, from.bytes().data() + 30, 70), 0);
  });
}

TEST(Transfers, OnlySignaledRequestsComplete) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    Buffer from(one.domain, 8, 0), to(other.domain, 8, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place(), 0), 0);
    EXPECT_FALSE(one.poll());
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 2, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().wr_id, 2U);
    EXPECT_FALSE(one.poll());
  });
}

TEST(Transfers, InlineDataAreReadWhenTheyArePosted) {
  in_child({{"FABRIC_DEFERRED", "1"}}, [] {
    Station one({.inline_bytes = 8}), other;
    connect(one, other);
    Buffer to(other.domain, 8, every_access);
    std::uint64_t value = 77;
    const ibv_sge piece{reinterpret_cast<std::uint64_t>(&value), 8, 0};
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, piece, to.place(), IBV_SEND_INLINE | IBV_SEND_SIGNALED), 0);
    value = 0;
    EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
    EXPECT_EQ(to.word(), 77U);
    EXPECT_EQ(counts().inlined, 1U);
  });
}

TEST(Transfers, AnInfiniBandPortIsReachedByItsLid) {
  in_child({{"FABRIC_LINK_LAYER", "infiniband"}}, [] {
    Station one, other;
    EXPECT_NE(one.address().lid, 0);
    connect(one, other);
    Buffer from(one.domain, 8, 0), to(other.domain, 8, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
  });
}

TEST(Transfers, AWriteWithImmediateDataTakesAReceive) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    Buffer from(one.domain, 64, 0), to(other.domain, 64, every_access);
    fill(from, 1);
    other.receive(4, std::span<const ibv_sge>());
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE_WITH_IMM, 6, from.piece(), to.place()), 0);
    const ibv_wc received = other.next();
    EXPECT_EQ(received.opcode, IBV_WC_RECV_RDMA_WITH_IMM);
    EXPECT_EQ(received.wr_id, 4U);
    EXPECT_EQ(received.imm_data, 6U);
    EXPECT_TRUE(equal(from, to));
  });
}

TEST(Transfers, AQueuePairMayHaveItsOwnReceives) {
  in_child({}, [] {
    Station one, other({.shared_receives = false});
    connect(one, other);
    Buffer from(one.domain, 64, 0), to(other.domain, 64, IBV_ACCESS_LOCAL_WRITE);
    other.receive(4, to.piece());
    ASSERT_EQ(one.post(IBV_WR_SEND, 6, from.piece()), 0);
    expect_received(other.next(), 4, 64);
  });
}

TEST(Transfers, AtomicOperationsReturnTheValueBefore) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    Buffer result(one.domain, 8, IBV_ACCESS_LOCAL_WRITE), target(other.domain, 16, every_access);
    target.word() = 10;
    ASSERT_EQ(one.post_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, result.piece(), target.place(), 5), 0);
    EXPECT_EQ(one.next().opcode, IBV_WC_FETCH_ADD);
    EXPECT_EQ(result.word(), 10U);
    EXPECT_EQ(target.word(), 15U);
    ASSERT_EQ(one.post_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 2, result.piece(), target.place(), 14, 1), 0);
    one.next();
    EXPECT_EQ(target.word(), 15U);
    ASSERT_EQ(one.post_atomic(IBV_WR_ATOMIC_CMP_AND_SWP, 3, result.piece(), target.place(), 15, 1), 0);
    one.next();
    EXPECT_EQ(result.word(), 15U);
    EXPECT_EQ(target.word(), 1U);
  });
}

constexpr std::size_t long_message = 300'000;

TEST(Transfers, BetweenProcesses) {
  const auto passive = [](const Line& line) {
    Station own;
    Buffer memory(own.domain, long_message, every_access), sent(own.domain, long_message, IBV_ACCESS_LOCAL_WRITE);
    fill(memory, 5);
    own.receive(1, sent.piece());
    line.put(own.address());
    own.connect(line.get<Address>());
    line.put(memory.place());
    expect_received(own.next(), 1, long_message);
    line.meet();
    EXPECT_EQ(memory.word(), 41U);
    EXPECT_EQ(sent.bytes()[100], static_cast<std::byte>(105));
    line.meet();
  };
  const auto active = [](const Line& line) {
    Station own;
    Buffer memory(own.domain, long_message, every_access), word(own.domain, 8, every_access);
    line.put(own.address());
    own.connect(line.get<Address>());
    const auto place = line.get<Place>();
    ASSERT_EQ(own.post(IBV_WR_RDMA_READ, 1, memory.piece(), place), 0);
    EXPECT_EQ(own.next().opcode, IBV_WC_RDMA_READ);
    EXPECT_EQ(memory.bytes()[1000], static_cast<std::byte>(1005));
    word.word() = 40;
    ASSERT_EQ(own.post(IBV_WR_RDMA_WRITE, 2, word.piece(), place), 0);
    EXPECT_EQ(own.next().status, IBV_WC_SUCCESS);
    ASSERT_EQ(own.post_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 3, word.piece(), place, 1), 0);
    EXPECT_EQ(own.next().status, IBV_WC_SUCCESS);
    EXPECT_EQ(word.word(), 40U);
    ASSERT_EQ(own.post(IBV_WR_SEND, 4, memory.piece()), 0);
    EXPECT_EQ(own.next().status, IBV_WC_SUCCESS);
    line.meet();
    line.meet();
  };
  in_two_children({}, passive, active);
}

}  // namespace
}  // namespace fabric::test
