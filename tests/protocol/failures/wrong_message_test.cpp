// SPDX-License-Identifier: BSD-3-Clause
// Messages that no correct peer sends: each is refused with a sentence that names the peer and what is wrong, and
// nothing is done with it.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "proto/services/address_search.hpp"
#include "proto/services/partitioned.hpp"
#include "recording.hpp"

namespace bowline::proto {
namespace {

class WrongMessage : public ProtocolTest {
 protected:
  static constexpr std::uint32_t parts = with_purpose(context, Purpose::partitioned);

  WrongMessage() { device.readable = false; }

  /// What the engine says to the messages that wait for it; it sends nothing.
  std::string refusal() {
    const std::size_t sent = device.sent.size();
    std::string text = "nothing was refused";
    try {
      for (const Message& message : device.arriving) {
        engine.handle(message.rank, message.header, message.prefix, message.body);
      }
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::intern);
      text = error.what();
    }
    device.arriving.clear();
    EXPECT_EQ(device.sent.size(), sent);
    EXPECT_EQ(text.find("\n"), std::string::npos);
    return text;
  }
  template <class Prefix>
  void expect_refused(int from, Kind kind, const Prefix& prefix, const std::string& what,
                      std::span<const std::byte> body = {}) {
    device.deliver(from, kind, prefix, header(from, 7), body);
    const std::string text = refusal();
    EXPECT_NE(text.find("rank " + std::to_string(from)), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }
  void expect_refused(transport::Header wrong, const std::string& what, std::span<const std::byte> body = {}) {
    device.deliver(1, wrong, body);
    const std::string text = refusal();
    EXPECT_NE(text.find("rank 1"), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
  }
  /// A long send to rank 1 that has been announced, and its id.
  Request& announced(std::uint64_t& id) {
    Request& request = isend(1, 7, mine);
    id = latest(Kind::ready_to_send).read<ReadyToSend>().send_id;
    return request;
  }
  Request& synchronous(std::uint64_t& id) {
    Request& request = engine.isend(1, header(0, 7), buffer(little), Mode::synchronous);
    id = latest(Kind::eager_synchronous).read<SendId>().send_id;
    return request;
  }
  /// A long receive from rank 1 that has asked for its pieces.
  Request& asking(ClearToSend& clear) {
    Request& request = ireceive(1, 7, data);
    offer(1, 7, theirs, their_id);
    engine.progress();
    clear = latest(Kind::clear_to_send).read<ClearToSend>();
    return request;
  }
  void finish(Request& request, std::uint64_t id) {
    device.deliver(1, Kind::finished, SendId{id});
    engine.wait(request);
    EXPECT_EQ(request.status.error, ErrorClass::success);
    engine.release(request);
  }

  /// Of the engine or of partitioned communication; nullptr if there is no such kind.
  const Form* form(int kind) { return engine.services().form_of(static_cast<std::uint8_t>(kind)); }

  Bytes mine = pattern(long_bytes, 1);
  Bytes little = pattern(100, 2);
  const Bytes theirs = pattern(long_bytes, 3);
  Bytes data = Bytes(long_bytes, untouched);
};

// ---- the form

TEST_F(WrongMessage, AKindThatThereIsNot) {
  for (const int kind : {21, 31, 37, 127, 255}) {
    transport::Header wrong = header(1, 7);
    wrong.kind = static_cast<std::uint8_t>(kind);
    expect_refused(wrong, "its kind is " + std::to_string(kind));
  }
}

TEST_F(WrongMessage, APrefixOfAnotherKindsLength) {
  const std::array<std::byte, 64> zeros{};
  for (int kind = 0; kind < 256; ++kind) {
    if (form(kind) == nullptr) continue;
    for (std::size_t bytes = 0; bytes <= zeros.size(); ++bytes) {
      if (bytes == form(kind)->prefix_bytes) continue;
      transport::Header wrong = header(1, 7);
      wrong.kind = static_cast<std::uint8_t>(kind);
      device.arriving.push_back({1, wrong, Bytes(bytes), {}});
      const std::string text = refusal();
      EXPECT_NE(text.find(std::string(form(kind)->name)), std::string::npos) << text;
      EXPECT_NE(text.find(std::to_string(bytes) + " bytes stand before its body"), std::string::npos) << text;
    }
  }
}

TEST_F(WrongMessage, ABodyWhereThereIsNone) {
  for (int kind = 0; kind < 256; ++kind) {
    if (form(kind) == nullptr || form(kind)->most_body > 0) continue;
    transport::Header wrong = header(1, 7);
    wrong.kind = static_cast<std::uint8_t>(kind);
    device.arriving.push_back({1, wrong, Bytes(form(kind)->prefix_bytes), Bytes(3)});
    const std::string text = refusal();
    EXPECT_NE(text.find("it has a body of 3 bytes"), std::string::npos) << text;
  }
}

TEST_F(WrongMessage, AnEnvelopeThatNobodyHas) {
  Request& request = ireceive(any_source, any_tag, data);
  for (const int source : {-1, -3, 4, std::numeric_limits<int>::max(), std::numeric_limits<int>::min()}) {
    expect_refused(header(source, 7), "its source is " + std::to_string(source), little);
  }
  for (const int tag : {-1, -2, std::numeric_limits<int>::min()}) {
    expect_refused(header(1, tag), "its tag is " + std::to_string(tag), little);
  }
  EXPECT_FALSE(request.done);
  engine.cancel(request);
  engine.release(request);
}

TEST_F(WrongMessage, AContextThatThereCannotBe) {
  expect_refused(header(1, 7, no_context), "its context is", little);
  expect_refused(header(1, 7, 511U << 23 | context), "its context is", little);
}

// ---- a send of ours

TEST_F(WrongMessage, ASendThatThereIsNot) {
  std::uint64_t id = 0;
  Request& request = announced(id);
  for (const std::uint64_t wrong : {std::uint64_t{0}, id + 1, id + (std::uint64_t{1} << 32), ~id,
                                    static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&request))}) {
    expect_refused(1, Kind::finished, SendId{wrong}, "it speaks of send");
    expect_refused(1, Kind::cancelled, SendId{wrong}, "it speaks of send");
    expect_refused(1, Kind::clear_to_send, ClearToSend{wrong, 1, 1}, "it speaks of send");
    expect_refused(1, Kind::clear_to_share, ClearToPut{wrong, 1, 1, 4096}, "it speaks of send");
    expect_refused(1, Kind::clear_to_put, ClearToPut{wrong, 1, 1, 4096}, "it speaks of send");
  }
  EXPECT_FALSE(request.done);
  finish(request, id);
  expect_refused(1, Kind::finished, SendId{id}, "it speaks of send");
}

TEST_F(WrongMessage, ASendToSomebodyElse) {
  std::uint64_t id = 0;
  Request& request = announced(id);
  expect_refused(2, Kind::finished, SendId{id}, "it speaks of send");
  expect_refused(2, Kind::cancelled, SendId{id}, "it speaks of send");
  expect_refused(2, Kind::clear_to_send, ClearToSend{id, 1, 1}, "it speaks of send");
  expect_refused(2, Kind::clear_to_put, ClearToPut{id, 1, 1, 4096}, "it speaks of send");
  EXPECT_FALSE(request.done);
  finish(request, id);
}

TEST_F(WrongMessage, AskingForMoreThanThereIs) {
  std::uint64_t id = 0;
  Request& request = announced(id);
  for (const std::uint64_t bytes : {std::uint64_t{0}, std::uint64_t{long_bytes + 1}, ~std::uint64_t{0}}) {
    expect_refused(1, Kind::clear_to_send, ClearToSend{id, 1, bytes}, "bytes of a message of 100000");
    expect_refused(1, Kind::clear_to_put, ClearToPut{id, 1, bytes, 4096}, "bytes of a message of 100000");
    expect_refused(1, Kind::clear_to_share, ClearToPut{id, 1, bytes, 4096}, "bytes of a message of 100000");
  }
  expect_refused(1, Kind::clear_to_send, ClearToSend{id, 1, 100, 0, 100},
                 "it asks for 100 bytes without the first 100");
  EXPECT_FALSE(request.done);
  finish(request, id);
}

TEST_F(WrongMessage, AskingToShareWithoutAKeyWhereOneIsNeeded) {
  device.limits.single_copy_from = transport::never;
  std::uint64_t id = 0;
  Request& request = announced(id);
  expect_refused(1, Kind::clear_to_share, ClearToPut{id, 1, long_bytes, 4096}, "it gives no key");
  EXPECT_FALSE(request.done);
  finish(request, id);
}

TEST_F(WrongMessage, AskingTwice) {
  std::uint64_t id = 0;
  Request& request = announced(id);
  const std::uint64_t other = id;
  device.deliver(1, Kind::clear_to_send, ClearToSend{id, 1, long_bytes});
  engine.wait(request);
  engine.release(request);
  device.sent.clear();
  expect_refused(1, Kind::clear_to_send, ClearToSend{other, 1, long_bytes}, "it speaks of send");
}

TEST_F(WrongMessage, AskingForWhatIsBeingWritten) {
  device.delayed = true;
  std::uint64_t id = 0;
  Request& request = announced(id);
  device.deliver(
      1, Kind::clear_to_put,
      ClearToPut{id, 1, long_bytes, static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(data.data()))});
  engine.progress();
  expect_refused(1, Kind::clear_to_send, ClearToSend{id, 1, long_bytes}, "for the second time");
  expect_refused(1, Kind::clear_to_put, ClearToPut{id, 1, long_bytes, 4096}, "for the second time");
  expect_refused(1, Kind::finished, SendId{id}, "its data are being brought");
  expect_refused(1, Kind::cancelled, SendId{id}, "not asked to forget");
  device.end_access();
  engine.wait(request);
  EXPECT_EQ(data, mine);
  engine.release(request);
}

TEST_F(WrongMessage, AskingForAMessageThatWasSentWhole) {
  std::uint64_t id = 0;
  Request& request = synchronous(id);
  expect_refused(1, Kind::clear_to_send, ClearToSend{id, 1, 100}, "was not offered");
  expect_refused(1, Kind::clear_to_put, ClearToPut{id, 1, 100, 4096}, "was not offered");
  finish(request, id);
}

TEST_F(WrongMessage, ForgettingWhatNobodyTookBack) {
  std::uint64_t id = 0;
  Request& request = synchronous(id);
  expect_refused(1, Kind::cancelled, SendId{id}, "not asked to forget");
  engine.cancel(request);
  device.deliver(1, Kind::cancelled, SendId{id});
  engine.wait(request);
  EXPECT_TRUE(request.status.cancelled);
  engine.release(request);
}

TEST_F(WrongMessage, AMessageWithoutAnId) {
  expect_refused(1, Kind::eager_synchronous, SendId{0}, "it has no id", little);
  expect_refused(1, Kind::ready_to_send, ReadyToSend{4096, 100, 0}, "it has no id");
  expect_refused(1, Kind::cancel, SendId{0}, "it has no id");
}

TEST_F(WrongMessage, AMessageThatNoMemoryHolds) {
  expect_refused(1, Kind::ready_to_send, ReadyToSend{4096, ~std::uint64_t{0}, their_id}, "it is said to have");
  expect_refused(1, Kind::ready_to_send, ReadyToSend{4096, std::uint64_t{1} << 63, their_id}, "it is said to have");
}

// ---- a receive of ours

TEST_F(WrongMessage, AReceiveThatThereIsNot) {
  ClearToSend clear{};
  Request& request = asking(clear);
  for (const std::uint64_t wrong : {std::uint64_t{0}, clear.receive_id + 1, clear.receive_id + (std::uint64_t{1} << 32),
                                    static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&request))}) {
    expect_refused(1, Kind::data, Data{wrong, 0}, "it speaks of receive", little);
    expect_refused(1, Kind::placed, Placed{wrong, their_id, long_bytes}, "it speaks of receive");
  }
  expect_refused(2, Kind::data, Data{clear.receive_id, 0}, "it speaks of receive", little);
  expect_refused(2, Kind::placed, Placed{clear.receive_id, their_id, long_bytes}, "it speaks of receive");
  EXPECT_TRUE(std::ranges::all_of(data, [](std::byte b) { return b == untouched; }));
  deliver_pieces_of(theirs, clear);
  engine.wait(request);
  EXPECT_EQ(data, theirs);
  engine.release(request);
  expect_refused(1, Kind::data, Data{clear.receive_id, 0}, "it speaks of receive", little);
}

TEST_F(WrongMessage, APieceThatBelongsSomewhereElse) {
  ClearToSend clear{};
  Request& request = asking(clear);
  device.deliver(1, Kind::data, Data{clear.receive_id, 0}, {}, std::span(theirs).first(1000));
  engine.progress();
  for (const std::uint64_t offset : {std::uint64_t{0}, std::uint64_t{999}, std::uint64_t{1001},
                                     std::uint64_t{long_bytes - 50}, std::uint64_t{long_bytes}, ~std::uint64_t{0}}) {
    expect_refused(1, Kind::data, Data{clear.receive_id, offset}, "where 1000 bytes of 100000 have come", little);
  }
  expect_refused(1, Kind::data, Data{clear.receive_id, 1000}, "where 1000 bytes of 100000 have come");
  expect_refused(1, Kind::data, Data{clear.receive_id, 1000}, "where 1000 bytes of 100000 have come", theirs);
  EXPECT_TRUE(std::all_of(data.begin() + 1000, data.end(), [](std::byte b) { return b == untouched; }));
  device.deliver(1, Kind::data, Data{clear.receive_id, 1000}, {}, std::span(theirs).subspan(1000));
  engine.wait(request);
  EXPECT_EQ(data, theirs);
  engine.release(request);
}

TEST_F(WrongMessage, AWordThatNothingWasWritten) {
  ClearToSend clear{};
  Request& request = asking(clear);
  expect_refused(1, Kind::placed, Placed{clear.receive_id, their_id, long_bytes}, "no memory was given");
  deliver_pieces_of(theirs, clear);
  engine.wait(request);
  engine.release(request);
}

class WrongMessageByPut : public WrongMessage {
 protected:
  WrongMessageByPut() { device.limits = {.max_body = 32 << 10, .max_prefix = 64, .put_from = 0}; }
};

TEST_F(WrongMessageByPut, AnotherLengthThanWasAskedFor) {
  Request& request = ireceive(1, 7, data);
  offer(1, 7, theirs, their_id);
  engine.progress();
  const auto clear = latest(Kind::clear_to_put).read<ClearToPut>();
  for (const std::uint64_t written : {std::uint64_t{1}, std::uint64_t{long_bytes + 1}, ~std::uint64_t{0}}) {
    expect_refused(1, Kind::placed, Placed{clear.receive_id, their_id, written}, "are said to be written");
  }
  expect_refused(1, Kind::data, Data{clear.receive_id, 0}, "not asked for in pieces", little);
  device.deliver(1, Kind::placed, Placed{clear.receive_id, their_id, long_bytes});
  engine.wait(request);
  engine.release(request);
}

// ---- a third process

class NoAddresses final : public AddressBook {
 public:
  int informant(int) override { return -1; }
  std::vector<std::byte> address(int) override { return {}; }
  void learned(int, std::span<const std::byte>) override { ADD_FAILURE() << "an address is recorded"; }
};

TEST_F(WrongMessage, ARankThatThereIsNot) {
  NoAddresses book;
  engine.services().add(std::make_unique<AddressSearch>(engine, book));
  for (const std::int64_t rank : {std::int64_t{-1}, std::int64_t{4}, std::int64_t{1} << 32}) {
    expect_refused(1, address_kind::where_is, Sought{rank}, "it speaks of rank");
    expect_refused(1, address_kind::address, Sought{rank}, "it speaks of rank", little);
  }
}

// ---- partitioned communication

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
