// SPDX-License-Identifier: BSD-3-Clause
// verbs: queue pairs that the connection manager connects. The other tests run over such ones, too
// (unit.verbs.managed).
#include <fcntl.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <string>

#include "support/fabric/fabric_control.hpp"
#include "two_verbs_devices.hpp"
#include "verbs/managed/rdmacm_library.hpp"

namespace bowline::verbs {
namespace {

struct ManagedFabric {
  using Device = VerbsDevice;
  VerbsDevice device(int rank, int processes, const char* host) { return {adapter, rank, processes, host}; }

  test::Setting by_manager{"verbs_connect", "cm"};
  Adapter adapter{survey_ports().front()};
};

class VerbsManaged : public test::NetworkBehaviour<ManagedFabric> {};

TEST_F(VerbsManaged, ThePortIsThatOfAnInterface) {
  const Port& port = network.adapter.port();
  EXPECT_EQ(port.connecting, Connecting::managed);
  EXPECT_EQ(address_text(port.interface).substr(0, 8), "10.77.0.");
}

TEST_F(VerbsManaged, MessagesGoBothWays) {
  a_message_arrives_as_it_was_sent();
  const auto to_first = connect(second, 3, first);
  send(*to_first, {.tag = 4}, {}, {});
  until([&] { return !at_first.arrivals.empty(); });
  EXPECT_EQ(at_first.arrivals.front().header.tag, 4);
}

/// Both devices initiate an exchange, and one queue pair results.
TEST_F(VerbsManaged, WhoeverInitiatesThereIsOnePair) {
  const auto to_first = connect(second, 3, first);
  for (int tag = 0; tag < 200; ++tag) {
    send(*to_second, {.tag = tag}, {}, {});
    send(*to_first, {.tag = tag}, {}, {});
  }
  until([&] { return at_first.arrivals.size() == 200 && at_second.arrivals.size() == 200; });
  for (int tag = 0; tag < 200; ++tag) {
    EXPECT_EQ(at_first.arrivals[static_cast<std::size_t>(tag)].header.tag, tag);
    EXPECT_EQ(at_second.arrivals[static_cast<std::size_t>(tag)].header.tag, tag);
  }
}

TEST_F(VerbsManaged, ASleeperHearsOfTheConnection) {
  a_sleeper_hears_of_a_message();
}

/// The first attempts fail with the event "unreachable", and later epochs succeed.
TEST_F(VerbsManaged, APortThatIsDownAtFirstIsTriedAgain) {
  fabric_link_down(0, 1, 700);
  const auto begin = Clock::now();
  send(*to_second, {.tag = 8}, {}, {});
  until([&] { return !at_second.arrivals.empty(); });
  EXPECT_GT(Clock::now() - begin, std::chrono::milliseconds(300)) << "the port was not down";
  EXPECT_FALSE(to_second->lost());
}

TEST_F(VerbsManaged, APortThatStaysDownLosesThePeerWithASentence) {
  const test::Setting impatient{"verbs_contact_patience", "0"};
  fabric_link_down(0, 1, -1);
  until([&] { return to_second->lost(); });
  fabric_link_down(0, 1, 0);
  // The side that asks for the connection hears of the port, and the other that the peer has ended the attempt.
  const std::string loss = to_second->loss();
  EXPECT_TRUE(loss.find("UNREACHABLE: Connection timed out") != std::string::npos ||
              loss.find("it has ended the connection from its side") != std::string::npos)
      << loss;
}

/// What the manager of a process that is none of the job's hears when it asks for a connection.
rdma_cm_event_type answer_to_unknown(VerbsDevice& device, Collector& sink, Adapter& adapter, const void* words,
                                     std::uint8_t bytes) {
  const EventChannel channel = make_event_channel();
  fcntl(channel->fd, F_SETFL, O_NONBLOCK);
  const ManagerId id = make_id(channel, nullptr);
  sockaddr_storage own{}, place{};
  write_socket_address(adapter.port().interface, own);
  write_socket_address(read_address(0, device.address()).manager, place);
  const auto next = [&] {
    rdma_cm_event* event = nullptr;
    const auto deadline = Clock::now() + std::chrono::seconds(2);
    while (rdmacm().get_cm_event(channel.get(), &event) != 0) {
      if (Clock::now() > deadline) return RDMA_CM_EVENT_TIMEWAIT_EXIT;  // which none is expected to be
      device.poll(sink);
    }
    const rdma_cm_event_type type = event->event;
    rdmacm().ack_cm_event(event);
    return type;
  };
  rdmacm().resolve_addr(id.get(), reinterpret_cast<sockaddr*>(&own), reinterpret_cast<sockaddr*>(&place), 1000);
  EXPECT_EQ(next(), RDMA_CM_EVENT_ADDR_RESOLVED);
  rdmacm().resolve_route(id.get(), 1000);
  EXPECT_EQ(next(), RDMA_CM_EVENT_ROUTE_RESOLVED);
  const CompletionQueue completions(library().create_cq(adapter.device(), 16, nullptr, nullptr, 0));
  ibv_qp_init_attr wanted = attributes_for_pair(adapter, completions.get(), nullptr);
  wanted.cap.max_recv_wr = wanted.cap.max_recv_sge = 1;
  EXPECT_EQ(rdmacm().create_qp(id.get(), adapter.domain(), &wanted), 0);
  rdma_conn_param with{};
  with.private_data = words;
  with.private_data_len = bytes;
  EXPECT_EQ(rdmacm().connect(id.get(), &with), 0);
  const rdma_cm_event_type answer = next();
  rdmacm().destroy_qp(id.get());
  return answer;
}

TEST_F(VerbsManaged, StrangersAreRejected) {
  const auto cookie = read_address(0, first.address()).cookie;
  const std::array<std::uint64_t, 2> wrong_cookie{cookie + 1, 0}, wrong_connection{cookie, 4711};
  for (const auto& words : {wrong_cookie, wrong_connection}) {
    EXPECT_EQ(answer_to_unknown(first, at_first, network.adapter, words.data(), sizeof words), RDMA_CM_EVENT_REJECTED);
  }
  EXPECT_EQ(answer_to_unknown(first, at_first, network.adapter, nullptr, 0), RDMA_CM_EVENT_REJECTED);
  a_message_arrives_as_it_was_sent();
}

// ---- which connections it makes

DeviceAddress with_port(Fabric fabric, std::uint8_t subnet, bool only_managed, bool listens) {
  static std::uint64_t devices = 0;
  DeviceAddress address;
  address.cookie = ++devices;
  PortAddress port{.fabric = fabric};
  port.gid[0] = subnet;
  address.ports = {port};
  address.only_managed = only_managed;
  address.manager.tcp_port = listens ? 1 : 0;
  return address;
}

TEST(VerbsContact, TheManagerConnectsWhereTheFabricOrAUserDemandsIt) {
  const auto contact = [](const DeviceAddress& one, const DeviceAddress& other) {
    EXPECT_EQ(contact_between(one, other), contact_between(other, one));
    return contact_between(one, other);
  };
  const auto iwarp = with_port(Fabric::iwarp, 1, true, true);
  const auto roce = with_port(Fabric::roce_v2, 1, false, false), demanding = with_port(Fabric::roce_v2, 1, true, true);
  const auto other_iwarp = with_port(Fabric::iwarp, 2, true, true), other = with_port(Fabric::roce_v2, 2, true, true);
  EXPECT_EQ(contact(iwarp, other_iwarp), Contact::managed);
  EXPECT_EQ(contact(iwarp, iwarp), Contact::none) << "itself";
  EXPECT_EQ(contact(iwarp, demanding), Contact::none);
  EXPECT_EQ(contact(roce, roce), Contact::direct);
  EXPECT_EQ(contact(demanding, other), Contact::managed);
  EXPECT_EQ(contact(demanding, demanding), Contact::direct) << "itself";
  EXPECT_EQ(contact(roce, demanding), Contact::none) << "one side does not listen";
}

TEST(VerbsContact, InfiniBandSubnetsAreJoinedByTheManagerOnly) {
  const auto here = with_port(Fabric::infiniband, 1, false, true),
             there = with_port(Fabric::infiniband, 2, false, true);
  const auto deaf = with_port(Fabric::infiniband, 2, false, false);
  EXPECT_EQ(contact_between(here, here), Contact::direct);
  EXPECT_EQ(contact_between(here, there), Contact::managed);
  EXPECT_EQ(contact_between(here, deaf), Contact::none);
}

}  // namespace
}  // namespace bowline::verbs
