// SPDX-License-Identifier: BSD-3-Clause
// Messages between the first and the last rank: contiguous ones of several lengths, a row of them, and data with holes.
#include <algorithm>
#include <array>
#include <cstdio>

#include "launcher/selftest/ranks/part.hpp"

namespace bowline::selftest {
namespace {

constexpr std::array<std::size_t, 5> lengths{8, 8 << 10, 64 << 10, 1 << 20, 4 << 20};
constexpr std::size_t long_message = 1 << 20;
constexpr std::size_t row_bytes = 16 << 20;  ///< of all messages that are under way at once where a rate is measured
constexpr std::size_t longest_row = 16;
constexpr int tag = 1;

/// The first and the last rank, which send messages to each other.
struct Pair {
  Pair() {
    const World self = world();
    first = self.rank == 0;
    takes_part = first || self.rank == self.size - 1;
    peer = first ? self.size - 1 : 0;
  }
  bool first = false, takes_part = false;
  int peer = 0;
};

/// What it takes to send a message there and back. Others of the job do nothing.
void exchange(Bytes& out, Bytes& in, int peer, bool first) {
  const int bytes = static_cast<int>(out.size());
  if (first) MPI_Send(out.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  MPI_Recv(in.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!first) MPI_Send(out.data(), bytes, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
}

/// A row of messages of `bytes` to rank 0, and an answer. The buffers are for all of them.
void exchange_row(Bytes& buffer, std::size_t bytes, int peer, bool first) {
  std::array<MPI_Request, longest_row> requests{};
  const std::size_t row = buffer.size() / bytes;
  for (std::size_t number = 0; number < row; ++number) {
    unsigned char* const place = buffer.data() + number * bytes;
    const int count = static_cast<int>(bytes);
    if (first)
      MPI_Irecv(place, count, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[number]);
    else
      MPI_Isend(place, count, MPI_BYTE, peer, tag, MPI_COMM_WORLD, &requests[number]);
  }
  MPI_Waitall(static_cast<int>(row), requests.data(), MPI_STATUSES_IGNORE);
  if (first)
    MPI_Send(nullptr, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD);
  else
    MPI_Recv(nullptr, 0, MPI_BYTE, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/// 64 bytes of each 128, so that the message is neither packed whole nor sent as it lies in memory.
void try_holes(int peer, bool first) {
  constexpr int blocks = 4096, block = 64, stride = 128;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(blocks, block, stride, MPI_BYTE, &type);
  MPI_Type_commit(&type);
  Bytes out = filled(static_cast<std::size_t>(blocks) * stride, first ? 11 : 12), in(out.size());
  const Bytes expected = filled(out.size(), first ? 12 : 11);
  if (first) MPI_Send(out.data(), 1, type, peer, tag, MPI_COMM_WORLD);
  MPI_Recv(in.data(), 1, type, peer, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (!first) MPI_Send(out.data(), 1, type, peer, tag, MPI_COMM_WORLD);
  for (std::size_t begin = 0; begin < in.size(); begin += stride) {
    const auto there = in.begin() + static_cast<std::ptrdiff_t>(begin);
    const auto right = expected.begin() + static_cast<std::ptrdiff_t>(begin);
    const bool same = std::equal(there, there + block, right);
    const bool untouched = std::all_of(there + block, there + stride, [](unsigned char one) { return one == 0; });
    if (!same || !untouched) {
      note_wrong("holes", "data with holes is wrong in block " + std::to_string(begin / stride));
      break;
    }
  }
  MPI_Type_free(&type);
}

void try_length(std::size_t bytes, int peer, bool first, bool takes_part) {
  Bytes out = filled(bytes, first ? 1 : 2), in(bytes);
  if (takes_part) {
    exchange(out, in, peer, first);
    check("messages", in, first ? 2 : 1);
  }
  const double alone = timed([&] {
    if (takes_part) exchange(out, in, peer, first);
  });
  print_time("alone", bytes, alone / 2);
  Bytes many = filled(bytes * std::clamp(row_bytes / bytes, std::size_t{1}, longest_row), 4);
  const double together = timed([&] {
    if (takes_part) exchange_row(many, bytes, peer, first);
  });
  print_rate("row", bytes, static_cast<double>(many.size()) / together);
  if (!takes_part) return;
  std::ranges::fill(in, static_cast<unsigned char>(0));
  exchange(out, in, peer, first);
  check("messages", in, first ? 2 : 1);
}

}  // namespace

void test_self() {
  const World self = world();
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{1} << 20}) {
    Bytes out = filled(bytes, 3), in(bytes);
    const auto to_itself = [&] {
      MPI_Sendrecv(out.data(), static_cast<int>(bytes), MPI_BYTE, self.rank, tag, in.data(), static_cast<int>(bytes),
                   MPI_BYTE, self.rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    const double time = timed(to_itself);
    check("self", in, 3);
    print_time("self", bytes, time);
    print_rate("self", bytes, static_cast<double>(bytes) / time);
  }
}

void test_messages() {
  const Pair pair;
  for (const std::size_t bytes : lengths) try_length(bytes, pair.peer, pair.first, pair.takes_part);
  if (pair.takes_part) try_holes(pair.peer, pair.first);
}

void test_long_messages(const std::string& counter) {
  const Pair pair;
  const MessageCounter used(counter.empty() ? "none" : counter);
  try_length(long_message, pair.peer, pair.first, pair.takes_part);
  unsigned long long mine = used.value(), all = 0;
  MPI_Reduce(&mine, &all, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
  if (pair.first && !counter.empty()) std::printf("used %s %llu\n", counter.c_str(), all);
}

}  // namespace bowline::selftest
