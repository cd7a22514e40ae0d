// SPDX-License-Identifier: BSD-3-Clause
// Requests that must wait: for a receive, for a peer that does not answer, for a port that is down.
#include <gtest/gtest.h>
#include <poll.h>

#include "fabric_children.hpp"
#include "station.hpp"
#include "support/fabric/fabric_control.hpp"

namespace fabric::test {
namespace {

TEST(Patience, ASendWaitsForAReceive) {
  in_child({}, [] {
    Station one, other;
    connect(one, other);
    Buffer from(one.domain, 16, 0), to(other.domain, 16, IBV_ACCESS_LOCAL_WRITE);
    ASSERT_EQ(one.post(IBV_WR_SEND, 1, from.piece()), 0);
    ASSERT_EQ(one.post(IBV_WR_SEND, 2, from.piece()), 0);
    EXPECT_FALSE(one.poll());
    other.receive(7, to.piece());
    EXPECT_EQ(one.next().wr_id, 1U);
    other.receive(8, to.piece());
    EXPECT_EQ(one.next().wr_id, 2U);
    EXPECT_EQ(other.next().wr_id, 7U);
    EXPECT_EQ(other.next().wr_id, 8U);
    EXPECT_EQ(counts().not_ready, 2U);
  });
}

TEST(Patience, ASendGivesUpWhenNoReceiveComes) {
  in_child({}, [] {
    Station one, other;
    connect(one, other, {.rnr_retries = 2});
    Buffer from(one.domain, 16, 0);
    ASSERT_EQ(one.post(IBV_WR_SEND, 1, from.piece()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_RNR_RETRY_EXC_ERR);
    EXPECT_EQ(other.state(), IBV_QPS_RTS);
  });
}

TEST(Patience, ARequestWaitsForAPeerThatIsNotConnectedYet) {
  in_child({}, [] {
    Station one, other;
    one.connect(other.address(), {.timeout = 20});
    Buffer from(one.domain, 16, 0), to(other.domain, 16, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
    EXPECT_FALSE(one.poll());
    other.initialize();
    EXPECT_FALSE(one.poll());
    other.ready_to_receive(one.address());
    EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
  });
}

TEST(Patience, APeerThatExpectsAnotherPacketNumberDoesNotAnswer) {
  in_child({}, [] {
    Station one, other;
    one.connect(other.address());
    Address wrong = one.address();
    ++wrong.psn;
    other.connect(wrong);
    Buffer from(one.domain, 16, 0), to(other.domain, 16, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_RETRY_EXC_ERR);
  });
}

TEST(Patience, ALinkThatComesBackInTimeDelaysRequestsOnly) {
  in_child({}, [] {
    Station one, other;
    connect(one, other, {.timeout = 20});
    Buffer from(one.domain, 16, 0), to(other.domain, 16, every_access);
    fabric_link_down(0, 1, -1);
    ibv_port_attr port{};
    ASSERT_EQ(ibv_query_port(one.context, 1, &port), 0);
    EXPECT_EQ(port.state, IBV_PORT_DOWN);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
    EXPECT_FALSE(one.poll());
    fabric_link_down(0, 1, 0);
    EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
    EXPECT_EQ(counts().link_down, 1U);
  });
}

TEST(Patience, ALinkThatStaysDownEndsRequests) {
  in_child({{"FABRIC_DOWN", "1:1000000"}}, [] {
    Station one, other;
    connect(one, other);
    Buffer from(one.domain, 16, 0), to(other.domain, 16, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_SUCCESS);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 2, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_RETRY_EXC_ERR);
    EXPECT_EQ(other.state(), IBV_QPS_RTS);
  });
}

// The sender sleeps in poll() and does not call verbs meanwhile.
TEST(Patience, AWaitingRequestNeedsNoPolling) {
  in_child({}, [] {
    Station receiver;
    ibv_device** devices = ibv_get_device_list(nullptr);
    ibv_context* context = ibv_open_device(devices[0]);
    ibv_free_device_list(devices);
    ibv_comp_channel* channel = ibv_create_comp_channel(context);
    {
      Station sender({.channel = channel});
      connect(sender, receiver, {.timeout = 20});
      Buffer from(sender.domain, 16, 0), to(receiver.domain, 16, IBV_ACCESS_LOCAL_WRITE);
      ASSERT_EQ(ibv_req_notify_cq(sender.completions, 0), 0);
      receiver.receive(1, to.piece());
      fabric_link_down(0, 1, 20);
      ASSERT_EQ(sender.post(IBV_WR_SEND, 1, from.piece()), 0);
      pollfd readable{channel->fd, POLLIN, 0};
      EXPECT_EQ(poll(&readable, 1, 10'000), 1);
      ibv_cq* queue = nullptr;
      void* user = nullptr;
      ASSERT_EQ(ibv_get_cq_event(channel, &queue, &user), 0);
      EXPECT_EQ(queue, sender.completions);
      ibv_ack_cq_events(queue, 1);
      EXPECT_TRUE(sender.poll());
    }
    EXPECT_EQ(ibv_destroy_comp_channel(channel), 0);
    EXPECT_EQ(ibv_close_device(context), 0);
  });
}

TEST(Patience, APeerThatDiedDoesNotAnswer) {
  const auto victim = [](const Line& line) {
    Station own;
    Buffer memory(own.domain, 16, every_access);
    line.put(own.address());
    own.connect(line.get<Address>());
    line.put(memory.place());
    line.meet();
    die();
  };
  const auto survivor = [](const Line& line) {
    Station own, other;
    Buffer from(own.domain, 16, every_access);
    line.put(own.address());
    own.connect(line.get<Address>());
    const auto place = line.get<Place>();
    ASSERT_EQ(own.post(IBV_WR_RDMA_WRITE, 1, from.piece(), place), 0);
    EXPECT_EQ(own.next().status, IBV_WC_SUCCESS);
    line.meet();
    ibv_wc_status status = IBV_WC_SUCCESS;
    while (status == IBV_WC_SUCCESS) {  // until it has died
      ASSERT_EQ(own.post(IBV_WR_RDMA_WRITE, 2, from.piece(), place), 0);
      status = own.next().status;
    }
    EXPECT_EQ(status, IBV_WC_RETRY_EXC_ERR);
    // The fabric goes on without it.
    Station third;
    connect(other, third);
    ASSERT_EQ(other.post(IBV_WR_RDMA_WRITE, 3, ibv_sge{}, Place{}), 0);
    EXPECT_EQ(other.next().status, IBV_WC_SUCCESS);
  };
  in_two_children({}, victim, survivor);
}

}  // namespace
}  // namespace fabric::test
