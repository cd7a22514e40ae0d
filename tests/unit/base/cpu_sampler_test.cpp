// SPDX-License-Identifier: BSD-3-Clause
// The sampler counts the processor time of its thread, and leaves a sleeping thread alone.
#include "base/profile/cpu_sampler.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <ctime>

#include "base/atomic.hpp"

namespace bowline {
namespace {

using namespace std::chrono_literals;

constinit Atomic<std::uint64_t> sampled{0};

void take(std::uint64_t nanoseconds) noexcept {
  sampled.fetch_add(nanoseconds);
}

std::chrono::nanoseconds processor_time() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

TEST(CpuSampler, CountsProcessorTimeAndNothingElse) {
  std::signal(SIGPROF, SIG_DFL);
  const auto begin = processor_time();
  ASSERT_EQ(CpuSampler::start(5ms, take), "");
  while (processor_time() - begin < 400ms) continue;
  const timespec pause{.tv_sec = 0, .tv_nsec = 200'000'000};
  EXPECT_EQ(nanosleep(&pause, nullptr), 0) << "a sleep is not interrupted";
  CpuSampler::stop();
  const std::chrono::nanoseconds used = processor_time() - begin;
  const std::uint64_t counted = sampled;
  EXPECT_NEAR(static_cast<double>(counted), static_cast<double>(used.count()), 50e6);
  while (processor_time() - begin < used + 50ms) continue;
  EXPECT_EQ(sampled, counted) << "nothing is counted after the end";
}

TEST(CpuSampler, LeavesTheSignalToAProgramThatUsesIt) {
  std::signal(SIGPROF, [](int) {});
  EXPECT_NE(CpuSampler::start(5ms, take).find("the program uses SIGPROF"), std::string::npos);
  std::signal(SIGPROF, SIG_DFL);
}

}  // namespace
}  // namespace bowline
