// SPDX-License-Identifier: BSD-3-Clause
// Budgets: the sizes of what exists once per message or per peer, and no allocation on the way of a short message.
//
// A budget is an upper bound that may be lowered at any time. Raising one is a decision: say in the commit what is
// gained.
#include <gtest/gtest.h>

#include "recording.hpp"
#include "support/allocations.hpp"

namespace bowline::proto {
namespace {

TEST(Footprint, SizesStayInTheirBudgets) {
  EXPECT_LE(sizeof(transport::Header), 16U);
  EXPECT_LE(max_prefix, 32U);
  EXPECT_LE(sizeof(Status), 24U);
  EXPECT_LE(sizeof(Request), 80U);
  EXPECT_LE(sizeof(SendRequest), 224U);
  EXPECT_LE(sizeof(ReceiveRequest), 176U);
  EXPECT_LE(sizeof(Unexpected), 136U);
  EXPECT_LE(sizeof(MatchQueue), 72U);
  EXPECT_LE(sizeof(Peer), 224U);
  EXPECT_LE(sizeof(Control), 96U);
}

class ShortMessages : public ProtocolTest {
 protected:
  ShortMessages() { device.recording = false; }

  /// How many allocations one more call of `action` costs once everything has warmed up.
  template <class F>
  static std::size_t allocations_of(F action) {
    for (int i = 0; i < 3; ++i) action();
    const std::size_t before = test::allocations();
    action();
    return test::allocations() - before;
  }
  Bytes data = pattern(64);
};

TEST_F(ShortMessages, TheCountIsTrue) {
  // A call of the function; a new-expression that nobody looks at may be left out by the compiler.
  EXPECT_EQ(allocations_of([] { ::operator delete(::operator new(100)); }), 1U);
}

TEST_F(ShortMessages, SendingAllocatesNothing) {
  EXPECT_EQ(allocations_of([&] { engine.send(1, header(0, 1), buffer(data)); }), 0U);
  EXPECT_EQ(allocations_of([&] { engine.release(isend(1, 1, data)); }), 0U);
}

TEST_F(ShortMessages, SendingWithoutRoomAllocatesNothing) {
  EXPECT_EQ(allocations_of([&] {
              bool refused = false;
              device.refuse = [&refused](int) { return !std::exchange(refused, true); };
              Request& request = isend(1, 1, data);
              engine.wait(request);
              engine.release(request);
            }),
            0U);
}

/// Delivers the same message at every poll, without allocating, while it is switched on.
class Fountain final : public transport::Device {
 public:
  std::string_view name() const override { return "fountain"; }
  transport::Address address() const override { return {}; }
  std::unique_ptr<transport::Endpoint> connect(int, const transport::Address&) override { return nullptr; }
  unsigned poll(transport::Sink& sink) noexcept override {
    if (!flowing) return 0;
    sink.arrived(1, header, {}, body);
    return 1;
  }

  bool flowing = false;
  transport::Header header;
  std::span<const std::byte> body;
};

TEST_F(ShortMessages, ReceivingAllocatesNothing) {
  Fountain fountain;
  engine.add_device(fountain);
  fountain.header = header(1, 7);
  fountain.body = data;
  Bytes target(64);
  EXPECT_EQ(allocations_of([&] {
              Request& request = ireceive(1, 7, target);
              fountain.flowing = true;
              engine.progress();
              fountain.flowing = false;
              EXPECT_TRUE(request.done);
              engine.release(request);
            }),
            0U);
  EXPECT_EQ(target, data);
  fountain.flowing = true;
  EXPECT_EQ(allocations_of([&] { engine.receive({context, 1, 7}, buffer(target)); }), 0U);
  fountain.flowing = false;
}

}  // namespace
}  // namespace bowline::proto
