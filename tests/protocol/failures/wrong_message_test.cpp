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
#include "refusing_engine.hpp"

namespace bowline::proto {
namespace {

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

}  // namespace
}  // namespace bowline::proto
