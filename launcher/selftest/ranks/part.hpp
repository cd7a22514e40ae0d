// SPDX-License-Identifier: BSD-3-Clause
// What the parts of the self-test's ranks share. A part tries something, checks the data, times it, and rank 0 prints
// lines for the self-test to read (launcher/selftest/part_output.hpp): "time NAME BYTES MICROSECONDS", "rate NAME BYTES
// MB/s", "used NAME TIMES", "wrong NAME SENTENCE" and "error NAME
// SENTENCE".
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace bowline::selftest {

/// Rank and size of MPI_COMM_WORLD.
struct World {
  int rank = 0, size = 1;
};
World world();

using Bytes = std::vector<unsigned char>;

/// Bytes that tell where they come from: different for every seed and place.
void fill(std::span<unsigned char> bytes, unsigned seed);
Bytes filled(std::size_t bytes, unsigned seed);
/// Where the first byte is that fill() would not have written; -1: nowhere.
std::ptrdiff_t first_wrong(std::span<const unsigned char> bytes, unsigned seed);

/// Notes that data was wrong, or that MPI has returned an error. Every rank calls report_wrong() at the end of its
/// part; rank 0 then prints what any rank has noted first.
void note_wrong(const std::string& name, const std::string& sentence);
void note_error(const std::string& name, const std::string& sentence);
/// Notes it if the bytes are not those of the seed.
void check(const std::string& name, std::span<const unsigned char> bytes, unsigned seed);
void report_wrong();

void print_time(const std::string& name, std::size_t bytes, double microseconds);
void print_rate(const std::string& name, std::size_t bytes, double megabytes_per_second);

/// Microseconds of one call of `action` at rank 0, the median of some; each of them begins at all ranks together.
/// Collective: all ranks make the same number of calls, for about `milliseconds` together.
double timed(const std::function<void()>& action, double milliseconds = 40);

/// A performance variable that counts messages of this process, by its name; 0 if there is none.
class MessageCounter {
 public:
  explicit MessageCounter(const std::string& name);
  ~MessageCounter();
  MessageCounter(const MessageCounter&) = delete;
  MessageCounter& operator=(const MessageCounter&) = delete;
  unsigned long long value() const;

 private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

// The parts, by their first argument.
void test_self();
void test_messages();
/// Of 1 MiB alone; prints how many of them the counter has counted, if it is named.
void test_long_messages(const std::string& counter);
void test_window(bool allocated);
void test_file(const std::string& folder);
void test_collectives();
void measure_machine(const std::string& folder);

}  // namespace bowline::selftest
