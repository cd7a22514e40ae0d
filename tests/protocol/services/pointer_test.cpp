// SPDX-License-Identifier: BSD-3-Clause
// Shared file pointers of other processes: questions and answers, and those that are none.
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <random>
#include <string>

#include "base/error.hpp"
#include "failures/broken_off.hpp"
#include "mpiio/sharing/pointer_service.hpp"
#include "support/seed.hpp"

namespace bowline::proto {
namespace {

using mpiio::Offset;
using mpiio::PointerChange;
using mpiio::PointerService;
using Ask = PointerService::Ask;
using Answer = PointerService::Answer;

class APointerService : public BrokenOff {
 protected:
  APointerService() {
    auto added = std::make_unique<PointerService>(engine);
    service = added.get();
    engine.services().add(std::move(added));
    service->serve(context, pointer);
  }
  /// Rank 1 answers as soon as this process waits.
  void will_answer(Offset value, std::uint64_t known = 1) {
    device.script.emplace_back([=, this] {
      device.deliver(1, PointerService::answer, Answer{latest(PointerService::ask).read<Ask>().id, value, known});
    });
  }
  void expect_refused(Kind kind, std::span<const std::byte> prefix, const std::string& what) {
    transport::Header asked = header(1, 0);
    asked.kind = static_cast<std::uint8_t>(kind);
    std::string text = "nothing was refused";
    try {
      engine.handle(1, asked, prefix, {});
    } catch (const Error& error) {
      text = error.what();
    }
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_EQ(pointer, 100);
  }

  std::atomic<Offset> pointer = 100;
  PointerService* service;
};

TEST_F(APointerService, ChangesThePointerThatItKeeps) {
  device.deliver(1, PointerService::ask, Ask{7, 20, 0, 0}, header(1, 0));
  engine.progress();
  EXPECT_EQ(pointer, 120);
  EXPECT_EQ(latest(PointerService::answer).rank, 1);
  EXPECT_EQ(latest(PointerService::answer).read<Answer>().id, 7U);
  EXPECT_EQ(latest(PointerService::answer).read<Answer>().value, 100);
  device.deliver(2, PointerService::ask, Ask{8, 5, 1, 0}, header(2, 0));
  engine.progress();
  EXPECT_EQ(pointer, 5);
  EXPECT_EQ(latest(PointerService::answer).rank, 2);
  EXPECT_EQ(latest(PointerService::answer).read<Answer>().value, 120);
}

TEST_F(APointerService, AsksAndWaits) {
  will_answer(42);
  EXPECT_EQ(service->change(1, context, 0, PointerChange::add, 3), 42);
  EXPECT_EQ(latest(PointerService::ask).read<Ask>().value, 3);
  EXPECT_EQ(latest(PointerService::ask).header.context, context);
  EXPECT_FALSE(service->outstanding());
}

TEST_F(APointerService, LearnsThatThePointerIsGone) {
  service->remove(context);
  device.deliver(1, PointerService::ask, Ask{7, 20, 0, 0}, header(1, 0));
  engine.progress();
  EXPECT_EQ(latest(PointerService::answer).read<Answer>().known, 0U);
  EXPECT_EQ(pointer, 100);
  will_answer(0, 0);
  EXPECT_THROW(service->change(1, context, 0, PointerChange::add, 3), Error);
  EXPECT_FALSE(service->outstanding());
}

TEST_F(APointerService, DoesNotWaitForAProcessThatIsLost) {
  engine.peer(1);
  device.script.emplace_back([this] {
    EXPECT_TRUE(service->awaits(engine.peer(1)));
    EXPECT_FALSE(service->awaits(engine.peer(2)));
    device.deliver(1, PointerService::answer, Answer{12345, 0, 1});  // breaks the connection to rank 1
  });
  EXPECT_THROW(service->change(1, context, 0, PointerChange::add, 3), Error);
  EXPECT_FALSE(service->outstanding());
  expect_others_served();
}

TEST_F(APointerService, RefusesWhatIsNoQuestionOrAnswer) {
  expect_refused(PointerService::ask, as_prefix(Ask{7, 20, 2, 0}), "change 2");
  expect_refused(PointerService::ask, Bytes(5), "5 bytes stand before its body");
  expect_refused(PointerService::answer, as_prefix(Answer{7, 20, 1}), "which nobody asked");
  bool heard = false;
  device.script.emplace_back([&] {  // the answer of another rank than the one that was asked
    heard = true;
    const std::uint64_t id = latest(PointerService::ask).read<Ask>().id;
    expect_refused(PointerService::answer, as_prefix(Answer{id, 20, 1}), "another rank was asked");
    device.deliver(2, PointerService::answer, Answer{id, 9, 1});
  });
  engine.peer(2);
  EXPECT_EQ(service->change(2, context, 0, PointerChange::add, 3), 9);
  EXPECT_TRUE(heard);
}

TEST_F(APointerService, FuzzLeavesAllOthersAlone) {
  device.recording = false;
  for (const std::uint32_t seed : test::seeds()) {
    SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
    std::mt19937 random(seed);
    std::size_t refused = 0;
    for (std::size_t i = 0; i < test::fuzz_messages() / 20; ++i) {
      Bytes prefix(random() % 3 == 0 ? random() % 40 : sizeof(Ask));
      for (std::byte& byte : prefix) byte = static_cast<std::byte>(random() % 4 == 0 ? random() : 0);
      transport::Header made = header(static_cast<int>(random() % 4), 0);
      made.kind = static_cast<std::uint8_t>(random() % 2 == 0 ? PointerService::ask : PointerService::answer);
      if (random() % 2 == 0) made.context = random();
      try {
        engine.handle(1 + static_cast<int>(random() % 3), made, prefix, Bytes(random() % 8 == 0 ? 1 : 0));
      } catch (const Error&) {
        ++refused;
      }
    }
    EXPECT_GT(refused, 1000U);
  }
  EXPECT_FALSE(service->outstanding());
}

}  // namespace
}  // namespace bowline::proto
