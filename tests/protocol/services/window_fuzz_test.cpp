// SPDX-License-Identifier: BSD-3-Clause
// A window among messages that are right, damaged, or anything: whatever comes, nothing outside of the window's memory
// changes, and a message that cannot be closes the connection to its sender with one sentence.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "comm/communicators.hpp"
#include "dtype/construction/encoding.hpp"
#include "dtype/predefined.hpp"
#include "proto/lanes.hpp"
#include "recording.hpp"
#include "rma/messages/rma_wire.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/window.hpp"
#include "support/seed.hpp"
#include "unit/dtype/random_type.hpp"

namespace bowline::rma {
namespace {

using proto::Bytes;
using proto::Message;

constexpr std::size_t guard = 4096;
constexpr std::size_t window_bytes = 3000;
constexpr std::byte untouched{0xee};

/// A process alone, and a window on its memory, which it offers to itself: messages of rank 0 come as if from
/// elsewhere.
class World {
 public:
  explicit World(std::mt19937& random) : random_(random), memory_(window_bytes + 2 * guard, untouched) {
    engine_.add_device(device_);
    lanes_.add(engine_);
    engine_.services().add(std::make_unique<WindowService>(engine_));
    WindowParameters parameters{
        .flavor = Flavor::create, .base = memory_.data() + guard, .size = window_bytes, .unit = 1 + below(8)};
    window_ = &Window::make(self_, communicators_, {.here = here_}, parameters);
    std::fill_n(memory_.begin() + guard, window_bytes, std::byte{1});
  }

  /// What comes next. Returns whether the connection still stands.
  bool step() {
    Message message = below(10) == 0 ? anything() : plausible();
    if (below(6) == 0) damage(message);
    device_.arriving.push_back(std::move(message));
    engine_.progress();
    while (!device_.posted.empty()) device_.end_post();
    device_.sent.clear();
    const auto is_untouched = [](std::byte each) { return each == untouched; };
    EXPECT_TRUE(std::all_of(memory_.begin(), memory_.begin() + guard, is_untouched));
    EXPECT_TRUE(std::all_of(memory_.end() - guard, memory_.end(), is_untouched));
    const proto::Peer& peer = engine_.peer(0);
    if (peer.broken == nullptr) return true;
    EXPECT_EQ(std::string_view(peer.broken->what()).find('\n'), std::string_view::npos);
    return false;
  }

 private:
  std::uint32_t below(std::uint32_t bound) { return static_cast<std::uint32_t>(random_() % bound); }

  std::uint64_t number() {
    switch (below(5)) {
      case 0:
        return below(4);
      case 1:
        return below(window_bytes + 100);
      case 2:
        return std::uint64_t{random_()} << 32 | random_();
      case 3:
        return ~std::uint64_t{0} - below(3);
      default:
        return below(64);
    }
  }

  template <class Prefix>
  Message of(proto::Kind kind, const Prefix& prefix, Bytes body = {}) {
    const auto bytes = proto::as_prefix(prefix);
    transport::Header header{.context = window_->context(), .source = 0, .tag = 0};
    header.kind = static_cast<std::uint8_t>(kind);
    return {0, header, {bytes.begin(), bytes.end()}, std::move(body)};
  }
  Message of(proto::Kind kind) {
    Message made = of(kind, 0);
    made.prefix.clear();
    return made;
  }

  Message type() {
    dtype::Maker maker(random_());
    Bytes encoding = dtype::encode(*maker.make(2).type);
    if (encoding.size() > 900) return of(RmaKind::flush);
    const TypePart part{.slot = below(70), .unused = 0, .bytes = encoding.size(), .offset = 0};
    return of(RmaKind::type, part, std::move(encoding));
  }

  Message operation() {
    const std::uint32_t elements = static_cast<std::uint32_t>(dtype::element_count);
    const bool predefined = below(3) != 0;
    const std::uint16_t name = static_cast<std::uint16_t>(predefined ? below(elements + 1) : first_slot + below(66));
    OperationHead head{.displacement = static_cast<std::int64_t>(number()),
                       .count = number(),
                       .answer_id = below(2),
                       .type = static_cast<TypeName>(name),
                       .action = static_cast<Action>(below(5)),
                       .op = static_cast<std::uint8_t>(below(16)),
                       .has_data = static_cast<std::uint8_t>(below(2)),
                       .in_parts = static_cast<std::uint8_t>(below(3) == 0),
                       .unused = {}};
    std::size_t bytes = below(200);
    if (predefined && name < elements && head.count < 100)
      bytes = head.count * dtype::type_of(static_cast<dtype::Element>(name)).size();
    if (below(4) == 0) head.answer_id = head.action == Action::get || head.action == Action::get_accumulate;
    if (head.has_data == 0 || head.in_parts != 0) bytes = 0;
    const bool swaps = below(8) == 0;
    return of(swaps ? RmaKind::swap : RmaKind::operation, head, Bytes(std::min<std::size_t>(bytes, 990), std::byte{3}));
  }

  Message plausible() {
    switch (below(8)) {
      case 0:
        return type();
      case 1:
        return of(RmaKind::data, Part{.id = number(), .offset = below(3) == 0 ? number() : 0},
                  Bytes(below(1500), std::byte{5}));
      case 2:
        return of(RmaKind::flush);
      case 3:
        return of(below(2) == 0 ? RmaKind::lock : RmaKind::unlock, LockMessage{.kind = 1 + below(2), .unused = 0});
      default:
        return operation();
    }
  }

  Message anything() {
    Message message = of(static_cast<proto::Kind>(40 + below(16)));
    message.prefix.resize(std::array<std::size_t, 6>{0, 8, 16, 24, 32, below(40)}[below(6)]);
    message.body.resize(below(4) == 0 ? below(1000) : 0);
    for (Bytes* const bytes : {&message.prefix, &message.body}) {
      for (std::byte& each : *bytes) each = static_cast<std::byte>(below(3) == 0 ? random_() : 0);
    }
    return message;
  }

  void damage(Message& message) {
    if (!message.prefix.empty() && below(2) == 0)
      message.prefix[below(static_cast<std::uint32_t>(message.prefix.size()))] = static_cast<std::byte>(random_());
    if (below(4) == 0) message.body.resize(below(1000));
    if (below(8) == 0) message.header.source = static_cast<std::int32_t>(below(4));
    if (below(8) == 0) message.header.context = random_();
  }

  std::mt19937& random_;
  Bytes memory_;
  std::array<int, 1> here_{0};
  proto::RecordingDevice device_;
  OwnerLock lock_;
  proto::Lanes lanes_;
  proto::Engine engine_{2, [this](int rank) { return device_.connect(rank, {}); }, WaitPolicy{}, lock_, &lanes_};
  comm::Communicator self_{
      "MPI_COMM_SELF", {.index = comm::IndexSpace::self}, engine_, comm::Group::sequence(0, 1, 1), 0, false};
  comm::Communicators communicators_{lanes_, 0, {}};
  Window* window_ = nullptr;
};

TEST(WindowFuzz, NothingButTheWindowChanges) {
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE(testing::Message() << "TEST_SEED=" << seed);
    std::mt19937 random(seed);
    std::size_t broken = 0;
    const std::size_t messages = test::fuzz_messages() / 10;
    for (std::size_t sent = 0; sent < messages;) {
      World world(random);
      bool stands = true;
      while (stands && sent < messages) {
        stands = world.step();
        ++sent;
      }
      if (!stands) ++broken;
      if (testing::Test::HasFailure()) return;
    }
    EXPECT_GT(broken, messages / 1000);
  }
}

}  // namespace
}  // namespace bowline::rma
