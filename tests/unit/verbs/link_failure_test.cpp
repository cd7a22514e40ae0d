// SPDX-License-Identifier: BSD-3-Clause
// verbs: a link that fails in mid-traffic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "support/fabric/fabric_control.hpp"
#include "support/seed.hpp"
#include "two_verbs_devices.hpp"

namespace bowline::verbs {
namespace {

/// Messages in both directions with reads and writes among them, while the link fails again and again.
TEST_F(Verbs, AfterALinkHasFailedNothingIsLostAndNothingComesTwice) {
  const auto to_first = connect(second, 3, first);
  std::mt19937 random(test::seeds().front());
  constexpr int messages = 3000;
  constexpr std::size_t bytes = 40'000;
  const Bytes data = pattern(5000, 5), theirs = pattern(bytes, 6);
  Bytes read(bytes), written(bytes);
  const Bytes source_key = to_first->register_memory(theirs), target_key = to_first->register_window(written);
  const auto target = to_second->open_memory(target_key);
  Ends ends;
  int begun = 0, failures = 0, next_failure = 500;
  for (int sent = 0, back = 0; sent < messages || back < messages;) {
    if (sent >= next_failure) {
      fabric_link_down(0, 1, failures++ == 0 ? 2000 : 800);  // adapters repeat for about half a second by themselves
      next_failure += 1000;
    }
    const std::span<const std::byte> body(data.data(), random() % 3 == 0 ? random() % 4000 : random() % 200);
    const bool forth = sent < messages && to_second->send({.tag = sent}, {}, body) == Post::done;
    if (forth) ++sent;
    if (forth && sent % 100 == 0) {
      const transport::Remote source{reinterpret_cast<std::uintptr_t>(theirs.data()), source_key};
      ASSERT_EQ(to_second->get(source, read, ends), Access::begun);
      ASSERT_EQ(target->put(theirs, reinterpret_cast<std::uintptr_t>(written.data()), ends), Access::begun);
      begun += 2;
    }
    if (random() % 2 == 0 && back < messages && to_first->send({.tag = back}, {}, body) == Post::done) ++back;
    if (forth) continue;
    first.poll(at_first);
    second.poll(at_second);
  }
  until([&] {
    return at_second.arrivals.size() >= messages && at_first.arrivals.size() >= messages && ends.count == begun;
  });
  for (const Collector* const each : {&at_first, &at_second}) {
    ASSERT_EQ(each->arrivals.size(), std::size_t{messages});
    for (int i = 0; i < messages; ++i) {
      const Arrival& got = each->arrivals[static_cast<std::size_t>(i)];
      ASSERT_EQ(got.header.tag, i);
      ASSERT_TRUE(std::ranges::equal(got.body, std::span(data).first(got.body.size())));
    }
  }
  EXPECT_TRUE(ends.failures.empty()) << ends.failures.front();
  EXPECT_EQ(read, theirs);
  EXPECT_EQ(written, theirs);
  fabric_counts counts{};
  fabric_count(&counts);
  EXPECT_GT(counts.failed, 0U) << "the link has not failed";
  EXPECT_FALSE(to_second->lost() || to_first->lost());
  to_first->deregister(source_key);
  to_first->deregister(target_key);
}

TEST_F(Verbs, AfterALongFailureThePeerIsLost) {
  const test::Setting impatient{"verbs_contact_patience", "1"};
  send(*to_second, {}, {}, {});
  until([&] { return !at_second.arrivals.empty(); });
  fabric_link_down(0, 1, -1);
  ASSERT_EQ(to_second->send({}, {}, {}), Post::done);
  until([&] {
    static_cast<void>(first.drained());
    return to_second->lost();
  });
  fabric_link_down(0, 1, 0);
  EXPECT_NE(to_second->loss().find("on there cannot be reached any more"), std::string::npos) << to_second->loss();
  EXPECT_NE(to_second->loss().find("retry"), std::string::npos) << to_second->loss();
}

TEST_F(Verbs, AnAtomicOperationInDoubtFailsWithASentence) {
  const auto to_first = connect(second, 3, first);
  alignas(8) std::uint64_t number = 40;
  const Bytes key = to_first->register_window(std::as_bytes(std::span(&number, 1)));
  const auto memory = to_second->open_memory(key);
  send(*to_second, {}, {}, {});
  Ends ends;
  fabric_link_down(0, 1, 800);
  ASSERT_EQ(memory->atomic({.kind = transport::AtomicKind::add, .bytes = 8, .operand = 2, .compare = 0},
                           reinterpret_cast<std::uintptr_t>(&number), nullptr, ends),
            Access::begun);
  until([&] { return ends.count == 1; });
  ASSERT_EQ(ends.failures.size(), 1U);
  EXPECT_NE(ends.failures[0].find("whether that was executed is not known"), std::string::npos) << ends.failures[0];
  EXPECT_FALSE(to_second->lost());
  send(*to_second, {.tag = 7}, {}, {});
  until([&] { return at_second.arrivals.size() == 2; });
  to_first->deregister(key);
}

}  // namespace
}  // namespace bowline::verbs
