// SPDX-License-Identifier: BSD-3-Clause
#include "node/core_set.hpp"

#include <sched.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <fstream>
#include <span>
#include <system_error>

namespace bowline::node {
namespace {

constexpr int most_cores = 1 << 20;  // no kernel has more: a larger number is no core

}  // namespace

void Cores::add(int core) {
  const auto word = static_cast<std::size_t>(core / bits);
  if (word >= words_.size()) words_.resize(word + 1);
  words_[word] |= std::uint64_t{1} << (core % bits);
}

Cores& Cores::operator|=(const Cores& other) {
  words_.resize(std::max(words_.size(), other.words_.size()));
  std::ranges::transform(other.words_, words_, words_.begin(), [](auto a, auto b) { return a | b; });
  return *this;
}

int Cores::first() const noexcept {
  const auto word = std::ranges::find_if(words_, [](std::uint64_t each) { return each != 0; });
  if (word == words_.end()) return -1;
  return static_cast<int>(word - words_.begin()) * bits + std::countr_zero(*word);
}

bool Cores::intersects(const Cores& other) const noexcept {
  for (std::size_t i = 0; i < std::min(words_.size(), other.words_.size()); ++i) {
    if ((words_[i] & other.words_[i]) != 0) return true;
  }
  return false;
}

bool Cores::is_within(const Cores& other) const noexcept {
  if (words_.size() > other.words_.size()) return false;
  return std::ranges::equal(words_, std::span(other.words_).first(words_.size()),
                            [](std::uint64_t mine, std::uint64_t theirs) { return (mine & ~theirs) == 0; });
}

Cores cores_of(pid_t process) {
  Cores cores;
  cpu_set_t mask;
  if (sched_getaffinity(process, sizeof mask, &mask) != 0) return cores;
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    if (CPU_ISSET(core, &mask)) cores.add(core);
  }
  return cores;
}

Cores cores_in(const std::string& list) {
  Cores cores;
  const char* const end = list.data() + list.size();
  for (const char* next = list.data(); next < end; ++next) {
    int first = 0;
    const auto begin = std::from_chars(next, end, first);
    if (begin.ec != std::errc() || first < 0) break;
    int last = first;
    next = begin.ptr;
    if (next < end && *next == '-') {
      const auto range = std::from_chars(next + 1, end, last);
      if (range.ec != std::errc()) break;
      next = range.ptr;
    }
    for (int core = first; core <= std::min(last, most_cores); ++core) cores.add(core);
    if (next < end && *next != ',') break;
  }
  return cores;
}

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

}  // namespace bowline::node
