// SPDX-License-Identifier: BSD-3-Clause
// shm/ring: what the consumer takes is what the producer has pushed, in every order of the memory model.
#include "shm/ring.hpp"

#include <new>
#include <vector>

#include "base/cpu_relax.hpp"
#include "explore.hpp"

namespace bowline::shm {
namespace {

constexpr std::size_t lines = 16, words_per_line = line_bytes / 8;

/// Memory of a ring. The first word of each line may be a stamp.
struct RingMemory {
  explicit RingMemory(model::Words& words) {
    new (bytes.data()) RingControl;
    words.mix(bytes.data() + sizeof(RingControl), lines * words_per_line,
              [](std::size_t index) { return index % words_per_line == 0; });
  }

  alignas(64) std::array<std::byte, sizeof(RingControl) + lines * line_bytes> bytes{};
};

/// All words of a body are stamps of the second lap: wherever the middle of a body was, an old one looks published.
constexpr std::uint64_t misleading = Stamp::make(2, 0, 0);

/// Bodies of some lengths, in a ring of which only the first lines are used at first.
template <std::size_t window>
struct PushedAndPopped : model::Suite<PushedAndPopped<window>, 2> {
  static constexpr std::array<std::size_t, 7> bodies{0, 40, 64, 8, 104, 0, 64};

  RingMemory memory{this->words};
  RingProducer producer{memory.bytes.data(), lines, window};
  RingConsumer consumer{memory.bytes.data(), lines};

  void run(unsigned index) { index == 0 ? produce() : consume(); }

  void produce() {
    std::vector<std::uint64_t> body(16, misleading);
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      const transport::Header header{.context = static_cast<std::uint32_t>(i), .tag = static_cast<std::int32_t>(7 * i)};
      while (!producer.push(header, {}, std::as_bytes(std::span(body)).first(bodies[i]))) {
        if (!producer.takes(0, bodies[i])) producer.widen();
        cpu_relax();
      }
    }
  }
  void consume() {
    for (std::size_t i = 0; i < bodies.size();) {
      const Taken taken = consumer.pop([&](transport::Header header, auto, std::span<const std::byte> body) {
        RL_ASSERT(header.context == i && header.tag == static_cast<std::int32_t>(7 * i) && body.size() == bodies[i]);
        std::vector<std::uint64_t> words(body.size() / 8);
        if (!body.empty()) copy_from_shared(words.data(), body.data(), body.size());
        for (const std::uint64_t word : words) RL_ASSERT(word == misleading);
      });
      RL_ASSERT(taken != Taken::wrong);
      taken == Taken::one ? static_cast<void>(++i) : cpu_relax();
    }
    RL_ASSERT(!consumer.ready());
  }
};

TEST(Ring, GivesWhatWasPushed) {
  model::explore<PushedAndPopped<lines>>(100'000);
}

TEST(Ring, GivesWhatWasPushedWhileItsWindowGrows) {
  model::explore<PushedAndPopped<6>>(100'000);
}

}  // namespace
}  // namespace bowline::shm
