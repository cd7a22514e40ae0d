// SPDX-License-Identifier: BSD-3-Clause
// What real hardware leaves undefined, and what the manual pages forbid.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "fabric_children.hpp"
#include "station.hpp"

namespace fabric::test {
namespace {

TEST(Misuse, StatesFollowEachOtherWithTheirAttributes) {
  in_child({}, [] {
    Station one;
    ibv_qp_attr attributes{};
    attributes.port_num = 1;
    attributes.qp_state = IBV_QPS_RTR;
    EXPECT_EQ(ibv_modify_qp(one.pair, &attributes, IBV_QP_STATE), EINVAL);
    attributes.qp_state = IBV_QPS_INIT;
    EXPECT_EQ(ibv_modify_qp(one.pair, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT), EINVAL);
    EXPECT_EQ(ibv_modify_qp(one.pair, &attributes,
                            IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS | IBV_QP_QKEY),
              EINVAL);
    attributes.port_num = 2;
    EXPECT_EQ(
        ibv_modify_qp(one.pair, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS),
        EINVAL);
    EXPECT_EQ(one.state(), IBV_QPS_RESET);
    one.initialize();
    EXPECT_EQ(one.state(), IBV_QPS_INIT);
  });
}

TEST(Misuse, NothingIsSentBeforeTheQueuePairIsReady) {
  in_child({}, [] {
    Station one;
    Buffer from(one.domain, 8, 0);
    EXPECT_EQ(one.post(IBV_WR_SEND, 1, from.piece()), EINVAL);
    one.initialize();
    EXPECT_EQ(one.post(IBV_WR_SEND, 1, from.piece()), EINVAL);
  });
}

TEST(Misuse, ASendQueueIsFullUntilACompletionIsPolled) {
  in_child({}, [] {
    Station one({.sends = 3}), other;
    connect(one, other);
    Buffer from(one.domain, 8, 0), to(other.domain, 8, every_access);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place(), 0), 0);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 2, from.piece(), to.place()), 0);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 3, from.piece(), to.place(), 0), 0);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 4, from.piece(), to.place()), ENOMEM);
    EXPECT_EQ(one.next().wr_id, 2U);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 5, from.piece(), to.place()), 0);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 6, from.piece(), to.place()), 0);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 7, from.piece(), to.place()), ENOMEM);
  });
}

TEST(Misuse, AReceiveQueueHasLimitedRoom) {
  in_child({}, [] {
    Station one;
    for (int number = 0; number != 16; ++number) one.receive(1, std::span<const ibv_sge>());
    ibv_recv_wr request{};
    ibv_recv_wr* bad = nullptr;
    EXPECT_EQ(ibv_post_srq_recv(one.receives, &request, &bad), ENOMEM);
    EXPECT_EQ(bad, &request);
  });
}

TEST(Misuse, InlineDataAreLimited) {
  in_child({}, [] {
    Station one({.inline_bytes = 8}), other;
    connect(one, other);
    Buffer from(one.domain, 9, 0), to(other.domain, 9, every_access);
    EXPECT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place(), IBV_SEND_INLINE), EINVAL);
    EXPECT_EQ(one.post(IBV_WR_RDMA_READ, 1, from.piece(0, 8), to.place(), IBV_SEND_INLINE), EINVAL);
  });
}

TEST(Misuse, WhatOthersUseIsNotDestroyed) {
  in_child({}, [] {
    Station one;
    const Buffer memory(one.domain, 8, 0);
    EXPECT_EQ(ibv_destroy_cq(one.completions), EBUSY);
    EXPECT_EQ(ibv_destroy_srq(one.receives), EBUSY);
    EXPECT_EQ(ibv_dealloc_pd(one.domain), EBUSY);
  });
}

TEST(Misuse, RegionsAreChecked) {
  in_child({{"FABRIC_LOCKED", "8192"}}, [] {
    Station one;
    const Buffer memory(one.domain, 8000, 0);
    std::byte more[200];
    EXPECT_EQ(ibv_reg_mr(one.domain, more, sizeof more, 0), nullptr);
    EXPECT_EQ(errno, ENOMEM);
    constexpr int remote_alone = IBV_ACCESS_REMOTE_WRITE;  // clang refuses the macro's arithmetic with two enumerations
    EXPECT_EQ(ibv_reg_mr(one.domain, more, 8, remote_alone), nullptr);
    EXPECT_EQ(errno, EINVAL);
    EXPECT_EQ(ibv_reg_mr(one.domain, reinterpret_cast<void*>(4096), 8, 0), nullptr);
    EXPECT_EQ(errno, EFAULT);
  });
}

TEST(Misuse, WhatWasDestroyedIsNotUsed) {
  const auto use = [] {
    const Station one;
    ibv_cq* queue = ibv_create_cq(one.context, 1, nullptr, nullptr, 0);
    ibv_destroy_cq(queue);
    ibv_wc wc;
    ibv_poll_cq(queue, 1, &wc);
  };
  in_ending_child({}, use, "a completion queue is used after it was destroyed");
}

TEST(Misuse, ACompletionQueueMustNotOverrun) {
  const auto use = [] {
    Station one({.completions = 2}), other;
    connect(one, other);
    Buffer from(one.domain, 8, 0), to(other.domain, 8, every_access);
    for (int number = 0; number != 3; ++number) one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place());
    one.poll();
  };
  in_ending_child({}, use, "a completion queue of 2 entries has overrun");
}

TEST(Misuse, SettingsAreChecked) {
  const auto use = [] { ibv_get_device_list(nullptr); };
  in_ending_child({{"FABRIC_PORTS", "5"}}, use, "the variable FABRIC_PORTS has a part '5'; allowed are 1 to 4");
}

TEST(Misuse, AChildOfForkMustNotUseTheDevice) {
  const auto use = [] {
    const Station one;
    if (fork() == 0) one.poll();
    wait(nullptr);
    std::abort();
  };
  in_ending_child({}, use, "a child of fork uses the device that its parent opened");
}

}  // namespace
}  // namespace fabric::test
