// SPDX-License-Identifier: BSD-3-Clause
// What the node itself can do, without MPI: copies in memory, a cache line between two cores, a file of one process,
// and the speed of its links as the kernel tells it.
#include <fcntl.h>
#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <thread>

#include "launcher/selftest/ranks/part.hpp"

namespace bowline::selftest {
namespace {

namespace fs = std::filesystem;

constexpr int rounds = 7;

double now() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Microseconds of an action, the median of some.
template <class Action>
double median_time(Action action) {
  std::array<double, rounds> times{};
  action();
  for (double& time : times) {
    const double begin = now();
    action();
    time = now() - begin;
  }
  std::ranges::sort(times);
  return times[rounds / 2];
}

/// Ticks that the CPUs have worked; all but idle ones and those that wait for disks.
double busy_ticks() {
  std::ifstream file("/proc/stat");
  std::string word;
  file >> word;
  double ticks = 0, value = 0;
  for (int field = 0; field < 8 && file >> value; ++field)
    if (field != 3 && field != 4) ticks += value;
  return ticks;
}

/// How many cores other programs keep busy: this one sleeps meanwhile.
void measure_others() {
  const double before = busy_ticks(), begin = now();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double seconds = (now() - begin) / 1e6;
  std::printf("busy %.2f\n", (busy_ticks() - before) / static_cast<double>(sysconf(_SC_CLK_TCK)) / seconds);
}

void measure_copies() {
  for (const std::size_t bytes : {std::size_t{64} << 10, std::size_t{1} << 20, std::size_t{4} << 20}) {
    const Bytes from = filled(bytes, 1);
    Bytes to(bytes);
    const int copies = static_cast<int>((8 << 20) / bytes);
    const double time = median_time([&] {
      for (int copy = 0; copy < copies; ++copy) {
        std::memcpy(to.data(), from.data(), bytes);
        asm volatile("" : : "r"(to.data()) : "memory");  // otherwise one copy could do for all
      }
    });
    std::printf("rate copy %zu %.3f\n", bytes, static_cast<double>(bytes) * copies / time);
  }
}

/// The CPUs that this process may use, the first and the second; less than two: none.
std::vector<int> two_cpus() {
  cpu_set_t allowed;
  std::vector<int> found;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return found;
  for (int cpu = 0; cpu < CPU_SETSIZE && found.size() < 2; ++cpu)
    if (CPU_ISSET(cpu, &allowed)) found.push_back(cpu);
  return found.size() == 2 ? found : std::vector<int>();
}

void keep_on(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  sched_setaffinity(0, sizeof one, &one);
}

/// One way of a cache line from core to core, at best: where other programs disturb, only the best is the machine's.
/// They may make each way last as long as a turn on a core, so the time decides how often the line goes, and a round is
/// short.
void measure_bounce() {
  const std::vector<int> cpus = two_cpus();
  if (cpus.empty()) return;
  constexpr int bounces = 50, over = -1;
  constexpr double enough = 20'000;  // microseconds
  alignas(64) static std::atomic<int> line{0};
  std::thread answering([&] {
    keep_on(cpus[1]);
    for (int seen = 0; seen != over;) {
      while ((seen = line.load(std::memory_order_acquire)) % 2 == 0) std::this_thread::yield();
      if (seen != over) line.store(seen + 1, std::memory_order_release);
    }
  });
  keep_on(cpus[0]);
  double best = 1e9;
  const double until = now() + enough;
  int number = 1;
  do {
    const double begin = now();
    for (int bounce = 0; bounce < bounces; ++bounce, number += 2) {
      line.store(number, std::memory_order_release);
      while (line.load(std::memory_order_acquire) != number + 1) std::this_thread::yield();
    }
    best = std::min(best, (now() - begin) / bounces / 2);
  } while (now() < until);
  line.store(over, std::memory_order_release);
  answering.join();
  std::printf("time bounce 64 %.4f\n", best);
}

void measure_file(const std::string& folder) {
  const std::string name = folder + "/bowline-selftest-raw-" + std::to_string(getpid());
  const int file = open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return;  // the part with files says why
  unlink(name.c_str());
  Bytes bytes = filled(16 << 20, 9);
  bool whole = true;
  const auto length = static_cast<ssize_t>(bytes.size());
  const double write_time = median_time([&] { whole &= pwrite(file, bytes.data(), bytes.size(), 0) == length; });
  const double read_time = median_time([&] { whole &= pread(file, bytes.data(), bytes.size(), 0) == length; });
  close(file);
  if (!whole) return;
  std::printf("rate file_write %zu %.3f\nrate file_read %zu %.3f\n", bytes.size(),
              static_cast<double>(length) / write_time, bytes.size(), static_cast<double>(length) / read_time);
}

std::string first_line(const fs::path& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

/// Adapters tell "200 Gb/sec (4X HDR)", network interfaces a number of Mbit/s.
void print_links() {
  std::error_code error;
  for (const auto& device : fs::directory_iterator("/sys/class/infiniband", error)) {
    for (const auto& port : fs::directory_iterator(device.path() / "ports", error)) {
      const bool active = first_line(port.path() / "state").find("ACTIVE") != std::string::npos;
      const double gigabits = std::strtod(first_line(port.path() / "rate").c_str(), nullptr);
      if (active && gigabits > 0)
        std::printf("link adapter %s:%s %.0f\n", device.path().filename().c_str(), port.path().filename().c_str(),
                    gigabits * 125);
    }
  }
  for (const auto& interface : fs::directory_iterator("/sys/class/net", error)) {
    const bool up = first_line(interface.path() / "operstate") == "up";
    const double megabits = std::strtod(first_line(interface.path() / "speed").c_str(), nullptr);
    if (up && megabits > 0)
      std::printf("link %s %s %.0f\n", fs::exists(interface.path() / "device", error) ? "interface" : "virtual",
                  interface.path().filename().c_str(), megabits / 8);
  }
}

}  // namespace

void measure_machine(const std::string& folder) {
  measure_others();
  measure_copies();
  measure_bounce();
  measure_file(folder);
  print_links();
}

}  // namespace bowline::selftest
