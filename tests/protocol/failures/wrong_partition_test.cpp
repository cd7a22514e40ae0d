// SPDX-License-Identifier: BSD-3-Clause
// Messages of partitioned communication that no correct peer sends.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "proto/services/partitioned.hpp"
#include "refusing_engine.hpp"

namespace bowline::proto {
namespace {

class WrongPartition : public WrongMessage {
 protected:
  PartitionedSend& make_send() {
    return PartitionedSend::make(engine, 1, header(0, 7, parts), {4, {little.data(), 25, &dtype::byte_type()}});
  }
  PartitionedReceive& make_receive() {
    return PartitionedReceive::make(engine, 1, header(1, 7, parts), {4, {data.data(), 25, &dtype::byte_type()}});
  }
};

TEST_F(WrongPartition, ASendThatThereNeverWas) {
  PartitionedSend& send = make_send();
  const auto id = latest(PartitionedKind::offer).read<PartitionedOffer>().send_id;
  engine.start(send);
  expect_refused(1, PartitionedKind::ready, PartitionedReady{id + 1, 5}, "which there never was");
  expect_refused(1, PartitionedKind::ready, PartitionedReady{id + (std::uint64_t{1} << 32), 5}, "there never was");
  expect_refused(2, PartitionedKind::ready, PartitionedReady{id, 5}, "a send to another rank");
  expect_refused(1, PartitionedKind::ready, PartitionedReady{id, 0}, "the same round twice");
  device.deliver(1, PartitionedKind::ready, PartitionedReady{id, 5});
  device.deliver(1, PartitionedKind::ready, PartitionedReady{id, 6});  // its next round, before ours
  engine.progress();
  expect_refused(1, PartitionedKind::ready, PartitionedReady{id, 7}, "the same round twice");
  for (int i = 0; i < 4; ++i) send.ready(i);
  engine.wait(send);
  send.dispose();
  device.deliver(1, PartitionedKind::ready, PartitionedReady{id, 5});  // one that is gone: not heard
  EXPECT_NO_THROW(engine.progress());
}

TEST_F(WrongPartition, DataThatWereNotAskedFor) {
  PartitionedReceive& receive = make_receive();
  device.deliver(1, PartitionedKind::offer, PartitionedOffer{.send_id = 5, .bytes = 100}, header(1, 7, parts));
  engine.progress();
  engine.start(receive);
  const auto id = latest(PartitionedKind::ready).read<PartitionedReady>().receive_id;
  const std::span<const std::byte> part = std::span(theirs).first(50);
  expect_refused(1, PartitionedKind::data, Data{id + 1, 0}, "which there never was", part);
  expect_refused(2, PartitionedKind::data, Data{id, 0}, "a receive from another rank", part);
  expect_refused(1, PartitionedKind::data, Data{id, 51}, "were not asked for", part);
  expect_refused(1, PartitionedKind::data, Data{id, ~std::uint64_t{0}}, "were not asked for", part);
  expect_refused(1, PartitionedKind::data, Data{id, 0}, "were not asked for");
  device.deliver(1, PartitionedKind::data, Data{id, 0}, {}, part);
  engine.progress();
  expect_refused(1, PartitionedKind::data, Data{id, 0}, "have come before", part);
  expect_refused(1, PartitionedKind::data, Data{id, 49}, "have come before", part);
  EXPECT_FALSE(receive.done);
  device.deliver(1, PartitionedKind::data, Data{id, 50}, {}, std::span(theirs).subspan(50, 50));
  engine.wait(receive);
  EXPECT_TRUE(std::equal(data.begin(), data.begin() + 100, theirs.begin()));
  engine.retire(receive);
  expect_refused(1, PartitionedKind::data, Data{id, 0}, "were not asked for", part);  // no round goes on
  receive.dispose();
  device.deliver(1, PartitionedKind::data, Data{id, 0}, {}, part);  // one that is gone: not heard
  EXPECT_NO_THROW(engine.progress());
}

TEST_F(WrongPartition, AFreedRequestThatThereNeverWas) {
  PartitionedSend& send = make_send();
  const auto id = latest(PartitionedKind::offer).read<PartitionedOffer>().send_id;
  expect_refused(1, PartitionedKind::released, PartitionedReleased{id + 1}, "which there never was");
  expect_refused(2, PartitionedKind::released, PartitionedReleased{id}, "a send to another rank");
  send.dispose();
  PartitionedReceive& receive = make_receive();
  device.deliver(1, PartitionedKind::offer, PartitionedOffer{.send_id = 5, .bytes = 100}, header(1, 7, parts));
  engine.progress();
  engine.start(receive);
  const auto ready = latest(PartitionedKind::ready).read<PartitionedReady>();
  expect_refused(1, PartitionedKind::gone, PartitionedReady{5, ready.receive_id + 1}, "which there never was");
  expect_refused(2, PartitionedKind::gone, ready, "a receive from another rank");
  receive.dispose();
}

TEST_F(WrongPartition, AnOfferThatThereCannotBe) {
  expect_refused(1, PartitionedKind::offer, PartitionedOffer{0, 100}, "it has no id");
  expect_refused(1, PartitionedKind::offer, PartitionedOffer{5, ~std::uint64_t{0}}, "it is said to have");
}

}  // namespace
}  // namespace bowline::proto
