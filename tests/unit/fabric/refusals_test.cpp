// SPDX-License-Identifier: BSD-3-Clause
// Requests that an adapter refuses, and what becomes of the queue pairs then.
#include <gtest/gtest.h>

#include "fabric_children.hpp"
#include "station.hpp"

namespace fabric::test {
namespace {

// A request of one to the other that fails with a status; the other's queue pair ends in a state.
void expect_refused(const std::function<void(Station& one, Station& other)>& request, ibv_wc_status status,
                    ibv_qp_state other_state) {
  in_child({}, [&] {
    Station one, other;
    connect(one, other);
    request(one, other);
    const ibv_wc wc = one.next();
    EXPECT_EQ(wc.status, status) << ibv_wc_status_str(wc.status);
    EXPECT_EQ(wc.wr_id, 1U);
    EXPECT_EQ(one.state(), IBV_QPS_ERR);
    EXPECT_EQ(other.state(), other_state);
  });
}

void expect_remote_refusal(int access, std::uint64_t offset, std::uint32_t key_change, ibv_wr_opcode opcode) {
  const auto request = [=](Station& one, Station& other) {
    Buffer from(one.domain, 16, IBV_ACCESS_LOCAL_WRITE), to(other.domain, 16, access);
    const Place place{to.place().address + offset, to.place().key + key_change};
    // Not signaled: failures complete nevertheless.
    ASSERT_EQ(one.post(opcode, 1, from.piece(), place, 0), 0);
  };
  expect_refused(request, IBV_WC_REM_ACCESS_ERR, IBV_QPS_ERR);
}

TEST(Refusals, AWrongRemoteKey) {
  expect_remote_refusal(every_access, 0, 2, IBV_WR_RDMA_WRITE);
}
TEST(Refusals, ALocalKeyForTheRemoteKey) {
  expect_remote_refusal(every_access, 0, -1U, IBV_WR_RDMA_WRITE);
}
TEST(Refusals, AddressesBeyondTheRegion) {
  expect_remote_refusal(every_access, 1, 0, IBV_WR_RDMA_READ);
}
TEST(Refusals, AReadWithoutTheAccess) {
  expect_remote_refusal(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE, 0, 0, IBV_WR_RDMA_READ);
}
TEST(Refusals, AWriteWithoutTheAccess) {
  expect_remote_refusal(IBV_ACCESS_REMOTE_READ, 0, 0, IBV_WR_RDMA_WRITE);
}

TEST(Refusals, ARegionThatWasDeregistered) {
  const auto request = [](Station& one, Station& other) {
    Buffer from(one.domain, 16, 0);
    Place place{};
    {
      const Buffer to(other.domain, 16, every_access);
      place = to.place();
    }
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), place), 0);
  };
  expect_refused(request, IBV_WC_REM_ACCESS_ERR, IBV_QPS_ERR);
}

TEST(Refusals, AnAtomicOperationOnAnOddAddress) {
  const auto request = [](Station& one, Station& other) {
    Buffer result(one.domain, 8, every_access), target(other.domain, 16, every_access);
    const Place place{target.place().address + 4, target.place().key};
    ASSERT_EQ(one.post_atomic(IBV_WR_ATOMIC_FETCH_AND_ADD, 1, result.piece(), place, 1), 0);
  };
  expect_refused(request, IBV_WC_REM_INV_REQ_ERR, IBV_QPS_ERR);
}

TEST(Refusals, AWrongLocalKeyIsOfNoConcernToThePeer) {
  const auto request = [](Station& one, Station& other) {
    Buffer from(one.domain, 16, 0), to(other.domain, 16, every_access);
    ibv_sge piece = from.piece();
    piece.lkey += 1;
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, piece, to.place()), 0);
  };
  expect_refused(request, IBV_WC_LOC_PROT_ERR, IBV_QPS_RTS);
}

TEST(Refusals, AReadIntoMemoryThatMayNotBeWritten) {
  const auto request = [](Station& one, Station& other) {
    Buffer to(one.domain, 16, 0), from(other.domain, 16, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_READ, 1, to.piece(), from.place()), 0);
  };
  expect_refused(request, IBV_WC_LOC_PROT_ERR, IBV_QPS_RTS);
}

TEST(Refusals, AReceiveThatIsTooShortFailsOnBothSides) {
  const auto request = [](Station& one, Station& other) {
    Buffer from(one.domain, 16, 0), to(other.domain, 16, IBV_ACCESS_LOCAL_WRITE);
    other.receive(7, to.piece(0, 15));
    ASSERT_EQ(one.post(IBV_WR_SEND, 1, from.piece()), 0);
    const ibv_wc wc = other.next();
    EXPECT_EQ(wc.status, IBV_WC_LOC_LEN_ERR);
    EXPECT_EQ(wc.wr_id, 7U);
  };
  expect_refused(request, IBV_WC_REM_INV_REQ_ERR, IBV_QPS_ERR);
}

TEST(Refusals, AReadWithoutResourcesForReads) {
  in_child({}, [] {
    Station one, other;
    connect(one, other, {.reads = 0});
    Buffer to(one.domain, 16, every_access), from(other.domain, 16, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_READ, 1, to.piece(), from.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_LOC_QP_OP_ERR);
  });
}

TEST(Refusals, LaterRequestsAndReceivesAreFlushed) {
  in_child({}, [] {
    Station one({.shared_receives = false}), other;
    connect(one, other);
    Buffer from(one.domain, 16, IBV_ACCESS_LOCAL_WRITE);
    one.receive(50, from.piece());
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), Place{}), 0);
    ASSERT_EQ(one.post(IBV_WR_SEND, 2, from.piece(), Place{}, 0), 0);
    one.receive(51, from.piece());
    EXPECT_EQ(one.next().wr_id, 50U);
    const ibv_wc failed = one.next();
    EXPECT_EQ(failed.status, IBV_WC_REM_ACCESS_ERR);
    for (const std::uint64_t id : {2U, 51U}) {
      const ibv_wc wc = one.next();
      EXPECT_EQ(wc.wr_id, id);
      EXPECT_EQ(wc.status, IBV_WC_WR_FLUSH_ERR);
    }
  });
}

TEST(Refusals, AQueuePairMayBeUsedAgainAfterAReset) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    Buffer from(one.domain, 16, 0), to(other.domain, 16, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), Place{}), 0);
    EXPECT_EQ(one.next().status, IBV_WC_REM_ACCESS_ERR);
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RESET;
    for (const Station* station : {&one, &other}) ASSERT_EQ(ibv_modify_qp(station->pair, &attributes, IBV_QP_STATE), 0);
    connect(one, other);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 2, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
  });
}

TEST(Refusals, APeerInAnotherProcessLearnsOfItByAnEvent) {
  const auto passive = [](const Line& line) {
    Station own;
    const Buffer memory(own.domain, 8, IBV_ACCESS_REMOTE_READ);
    line.put(own.address());
    own.connect(line.get<Address>());
    line.put(memory.place());
    ibv_async_event event{};
    ASSERT_EQ(ibv_get_async_event(own.context, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_QP_ACCESS_ERR);
    EXPECT_EQ(event.element.qp, own.pair);
    ibv_ack_async_event(&event);
    EXPECT_EQ(own.state(), IBV_QPS_ERR);
    line.meet();
  };
  const auto active = [](const Line& line) {
    Station own;
    Buffer from(own.domain, 8, 0);
    line.put(own.address());
    own.connect(line.get<Address>());
    ASSERT_EQ(own.post(IBV_WR_RDMA_WRITE, 1, from.piece(), line.get<Place>()), 0);
    EXPECT_EQ(own.next().status, IBV_WC_REM_ACCESS_ERR);
    line.meet();
  };
  in_two_children({}, passive, active);
}

}  // namespace
}  // namespace fabric::test
