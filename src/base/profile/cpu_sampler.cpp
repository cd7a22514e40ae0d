// SPDX-License-Identifier: BSD-3-Clause
#include "base/profile/cpu_sampler.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>

#include "base/atomic.hpp"
#include "base/this_thread.hpp"
#include "base/thread_ids.hpp"

namespace bowline {
namespace {

constexpr int tick = SIGPROF;

struct Sampling {
  timer_t timer{};
  std::uint64_t interval = 0;  ///< nanoseconds
  CpuSampler::Take take = nullptr;
};
constinit Sampling sampling;  // written while no timer runs
constinit Atomic<bool> runs{false};

/// The kernel counts the intervals that have passed since the signal was sent.
void on_tick(int, siginfo_t* signal, void*) {
  if (signal->si_code != SI_TIMER || signal->si_value.sival_ptr != &sampling) return;
  if (!runs.load(std::memory_order_acquire)) return;
  const int before = errno;
  const auto intervals = 1 + static_cast<std::uint64_t>(signal->si_overrun > 0 ? signal->si_overrun : 0);
  sampling.take(intervals * sampling.interval);
  errno = before;
}

bool program_uses_signal() {
  struct sigaction now {};
  return sigaction(tick, nullptr, &now) != 0 || now.sa_handler != SIG_DFL;
}

timespec in_timespec(std::uint64_t nanoseconds) {
  constexpr std::uint64_t second = 1'000'000'000;
  return {.tv_sec = static_cast<time_t>(nanoseconds / second), .tv_nsec = static_cast<long>(nanoseconds % second)};
}

}  // namespace

std::string CpuSampler::start(std::chrono::nanoseconds interval, Take take) {
  if (program_uses_signal()) return "the program uses SIGPROF by itself, as programs do that are built with -pg";
  struct sigaction action {};
  action.sa_sigaction = on_tick;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(tick, &action, nullptr);
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = tick;
  event.sigev_value.sival_ptr = &sampling;
#ifdef sigev_notify_thread_id
  event.sigev_notify_thread_id = this_thread_id();
#else
  event._sigev_un._tid = this_thread_id();  // glibc before 2.38 has no other name for it
#endif
  if (timer_create(CLOCK_THREAD_CPUTIME_ID, &event, &sampling.timer) != 0)
    return std::string("the system has no timer for processor time: ") + std::strerror(errno);
  sampling.interval = static_cast<std::uint64_t>(interval.count());
  sampling.take = take;
  runs.store(true, std::memory_order_release);
  const timespec each = in_timespec(sampling.interval);
  const itimerspec when{.it_interval = each, .it_value = each};
  timer_settime(sampling.timer, 0, &when, nullptr);
  return {};
}

void CpuSampler::stop() noexcept {
  if (!runs.exchange(false, std::memory_order_acq_rel)) return;
  timer_delete(sampling.timer);
  std::signal(tick, SIG_IGN);  // drops a signal that is still to come, which would end the process
  std::signal(tick, SIG_DFL);
}

}  // namespace bowline
