// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/selftest/ranks/part.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>

namespace bowline::selftest {
namespace {

constexpr int text_length = 400;
std::array<char, text_length> noted{};  ///< the first thing that this rank has noted, as a line

void note(const char* kind, const std::string& name, const std::string& sentence) {
  if (noted[0] == '\0') std::snprintf(noted.data(), noted.size(), "%s %s %s", kind, name.c_str(), sentence.c_str());
}

unsigned char byte_at(std::size_t place, unsigned seed) {
  return static_cast<unsigned char>(place * 31 + (place >> 8) * 17 + seed * 101 + 7);
}

}  // namespace

World world() {
  World found;
  MPI_Comm_rank(MPI_COMM_WORLD, &found.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &found.size);
  return found;
}

void fill(std::span<unsigned char> bytes, unsigned seed) {
  for (std::size_t place = 0; place < bytes.size(); ++place) bytes[place] = byte_at(place, seed);
}

Bytes filled(std::size_t bytes, unsigned seed) {
  Bytes made(bytes);
  fill(made, seed);
  return made;
}

std::ptrdiff_t first_wrong(std::span<const unsigned char> bytes, unsigned seed) {
  for (std::size_t place = 0; place < bytes.size(); ++place)
    if (bytes[place] != byte_at(place, seed)) return static_cast<std::ptrdiff_t>(place);
  return -1;
}

void note_wrong(const std::string& name, const std::string& sentence) {
  note("wrong", name, sentence);
}

void note_error(const std::string& name, const std::string& sentence) {
  note("error", name, sentence);
}

void check(const std::string& name, std::span<const unsigned char> bytes, unsigned seed) {
  const std::ptrdiff_t place = first_wrong(bytes, seed);
  if (place < 0) return;
  note_wrong(name, "byte " + std::to_string(place) + " of " + std::to_string(bytes.size()) + " at rank " +
                       std::to_string(world().rank) + " is not what was sent");
}

void report_wrong() {
  const World self = world();
  std::vector<char> all(self.rank == 0 ? static_cast<std::size_t>(self.size) * text_length : 0);
  MPI_Gather(noted.data(), text_length, MPI_CHAR, all.data(), text_length, MPI_CHAR, 0, MPI_COMM_WORLD);
  for (std::size_t begin = 0; begin < all.size(); begin += text_length)
    if (all[begin] != '\0') std::printf("%s\n", &all[begin]);
}

void print_time(const std::string& name, std::size_t bytes, double microseconds) {
  if (world().rank == 0) std::printf("time %s %zu %.4f\n", name.c_str(), bytes, microseconds);
}

void print_rate(const std::string& name, std::size_t bytes, double megabytes_per_second) {
  if (world().rank == 0) std::printf("rate %s %zu %.3f\n", name.c_str(), bytes, megabytes_per_second);
}

double timed(const std::function<void()>& action, double milliseconds) {
  constexpr int fewest = 5, most = 400;
  for (int warm = 0; warm < 2; ++warm) action();
  MPI_Barrier(MPI_COMM_WORLD);
  double begin = MPI_Wtime();
  action();
  int count = static_cast<int>(milliseconds / 1e3 / std::max(MPI_Wtime() - begin, 1e-7));
  count = std::clamp(count, fewest, most);
  MPI_Bcast(&count, 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<double> times;
  for (int number = 0; number < count; ++number) {
    MPI_Barrier(MPI_COMM_WORLD);
    begin = MPI_Wtime();
    action();
    times.push_back((MPI_Wtime() - begin) * 1e6);
  }
  std::ranges::nth_element(times, times.begin() + count / 2);
  return times[static_cast<std::size_t>(count / 2)];
}

MessageCounter::MessageCounter(const std::string& name) {
  int level = 0, index = 0, count = 0;
  MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
  MPI_T_pvar_session_create(&session_);
  if (MPI_T_pvar_get_index(name.c_str(), MPI_T_PVAR_CLASS_COUNTER, &index) != MPI_SUCCESS ||
      MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &count) != MPI_SUCCESS)
    handle_ = MPI_T_PVAR_HANDLE_NULL;
  else
    MPI_T_pvar_start(session_, handle_);
}

MessageCounter::~MessageCounter() {
  if (handle_ != MPI_T_PVAR_HANDLE_NULL) MPI_T_pvar_handle_free(session_, &handle_);
  MPI_T_pvar_session_free(&session_);
  MPI_T_finalize();
}

unsigned long long MessageCounter::value() const {
  unsigned long long read = 0;
  if (handle_ != MPI_T_PVAR_HANDLE_NULL) MPI_T_pvar_read(session_, handle_, &read);
  return read;
}

}  // namespace bowline::selftest
