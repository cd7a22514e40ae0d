// SPDX-License-Identifier: BSD-3-Clause
// Devices, ports and their addresses, as the settings want them.
#include <gtest/gtest.h>
#include <poll.h>

#include <cerrno>
#include <cstring>

#include "fabric_children.hpp"
#include "station.hpp"
#include "support/fabric/fabric_control.hpp"

namespace fabric::test {
namespace {

TEST(Ports, DevicesAreListed) {
  in_child({{"FABRIC_DEVICES", "2"}, {"FABRIC_PORTS", "2"}, {"FABRIC_INACTIVE", "fabric1:1,fabric1:2"}}, [] {
    int number = 0;
    ibv_device** devices = ibv_get_device_list(&number);
    ASSERT_EQ(number, 2);
    EXPECT_EQ(devices[2], nullptr);
    EXPECT_STREQ(ibv_get_device_name(devices[1]), "fabric1");
    for (int index = 0; index != 2; ++index) {
      ibv_context* context = ibv_open_device(devices[index]);
      ibv_device_attr device{};
      ASSERT_EQ(ibv_query_device(context, &device), 0);
      EXPECT_EQ(device.phys_port_cnt, 2);
      ibv_port_attr port{};
      ASSERT_EQ(ibv_query_port(context, 2, &port), 0);
      EXPECT_EQ(port.state, index == 0 ? IBV_PORT_ACTIVE : IBV_PORT_DOWN);
      EXPECT_EQ(ibv_query_port(context, 3, &port), EINVAL);
      EXPECT_EQ(ibv_close_device(context), 0);
    }
    ibv_free_device_list(devices);
  });
}

TEST(Ports, NoDeviceIsAnEmptyList) {
  in_child({{"FABRIC_DEVICES", "0"}}, [] {
    int number = 1;
    ibv_device** devices = ibv_get_device_list(&number);
    EXPECT_EQ(number, 0);
    EXPECT_EQ(devices[0], nullptr);
    ibv_free_device_list(devices);
  });
}

TEST(Ports, EthernetPortsHaveAnAddressOfEachKind) {
  in_child({}, [] {
    const Station one;
    ibv_gid_entry entries[8];
    ASSERT_EQ(ibv_query_gid_table(one.context, entries, 8, 0), 4);
    EXPECT_EQ(entries[2].gid_type, static_cast<std::uint32_t>(IBV_GID_TYPE_ROCE_V1));
    EXPECT_EQ(entries[3].gid_type, static_cast<std::uint32_t>(IBV_GID_TYPE_ROCE_V2));
    EXPECT_EQ(entries[3].gid.raw[12], 10);
    ibv_gid gid{};
    ASSERT_EQ(ibv_query_gid(one.context, 1, 3, &gid), 0);
    EXPECT_EQ(std::memcmp(&gid, &entries[3].gid, sizeof gid), 0);
    EXPECT_EQ(ibv_query_gid(one.context, 1, 4, &gid), -1);
  });
}

TEST(Ports, RoceVersionsDoNotUnderstandEachOther) {
  in_child({}, [] {
    Station one, other;
    Address address = other.address();
    one.connect(address, {});
    other.initialize();
    ibv_qp_attr attributes{};
    attributes.qp_state = IBV_QPS_RTR;
    attributes.path_mtu = IBV_MTU_1024;
    attributes.dest_qp_num = one.pair->qp_num;
    attributes.rq_psn = one.address().psn;
    attributes.ah_attr.port_num = 1;
    attributes.ah_attr.is_global = 1;
    attributes.ah_attr.grh.dgid = one.address().gid;
    attributes.ah_attr.grh.hop_limit = 1;
    attributes.ah_attr.grh.sgid_index = 2;
    ASSERT_EQ(ibv_modify_qp(other.pair, &attributes,
                            IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
                                IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER),
              0);
    Buffer from(one.domain, 8, 0), to(other.domain, 8, every_access);
    ASSERT_EQ(one.post(IBV_WR_RDMA_WRITE, 1, from.piece(), to.place()), 0);
    EXPECT_EQ(one.next().status, IBV_WC_RETRY_EXC_ERR);
  });
}

TEST(Ports, ATestReportsEventsOfADeviceToItself) {
  in_child({{"FABRIC_DEVICES", "2"}}, [] {
    ibv_device** devices = ibv_get_device_list(nullptr);
    ibv_context* const context = ibv_open_device(devices[0]);
    ibv_context* const other = ibv_open_device(devices[1]);
    ibv_free_device_list(devices);
    fabric_report_event(0, IBV_EVENT_PORT_ERR, 1);
    pollfd quiet{other->async_fd, POLLIN, 0};
    EXPECT_EQ(poll(&quiet, 1, 0), 0);
    ibv_async_event event{};
    ASSERT_EQ(ibv_get_async_event(context, &event), 0);
    EXPECT_EQ(event.event_type, IBV_EVENT_PORT_ERR);
    EXPECT_EQ(event.element.port_num, 1);
    ibv_ack_async_event(&event);
    for (ibv_context* const each : {context, other}) EXPECT_EQ(ibv_close_device(each), 0);
  });
}

}  // namespace
}  // namespace fabric::test
