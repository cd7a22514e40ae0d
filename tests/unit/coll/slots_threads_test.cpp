// SPDX-License-Identifier: BSD-3-Clause
// The algorithms through coll/slots, with real threads as members: many operations in a row, of which no member waits
// for the others longer than it must, so that slots are used again while somebody may still read them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "coll/algorithms/reduce/reduce.hpp"
#include "coll/algorithms/through_slots.hpp"
#include "coll/slots/slots.hpp"
#include "predefined_handles.hpp"
#include "slot_channel.hpp"
#include "support/seed.hpp"

namespace bowline::coll {
namespace {

/// One thread's channel: waits for flags by looking again and again.
class ThreadChannel final : public SlotChannel {
 public:
  using SlotChannel::SlotChannel;

  /// Every other operation goes as far as it can before its task is there, and of those every other one looks for flags
  /// for a while; of each operation, one member does and the next one does not.
  void carry_out(Run algorithm, const Arguments& arguments) {
    const std::uint64_t kind = (number() + static_cast<std::uint64_t>(rank())) % 4;
    begin(kind % 2 != 0, kind == 3 ? 100 : 0);
    Task task = algorithm(*this, arguments);
    task.start();
    while (!task.done()) {
      for (int spins = 0; !may_go_on(); ++spins) {
        if (spins % 256 == 255) std::this_thread::yield();
      }
      go_on();
    }
    task.result();
    end_slots();
  }
};

/// What all members do, from the same random numbers.
struct Step {
  Operation operation;
  int root;
  std::size_t count;
};

using Values = std::vector<std::int64_t>;

class Thread {
 public:
  Thread(std::span<std::byte> shared, int rank, int size)
      : channel_(shared, rank, size), sum_(predefined(mpi_sum, mpi_int64)) {}

  /// Element i of what a member contributes to the operation with this number.
  static std::int64_t value(int operation, int member, std::size_t i) {
    return operation * 1'000'003 + member * 1009 + static_cast<std::int64_t>(i);
  }

  static Run pick(int operation, std::initializer_list<Run> algorithms) {
    return algorithms.begin()[static_cast<std::size_t>(operation) % algorithms.size()];
  }

  void carry_out(const Step& step, int operation) {
    const int rank = channel_.rank(), size = channel_.size();
    Values in(step.count), out(step.count * static_cast<std::size_t>(size), -1), expected = out, given = out;
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = value(operation, rank, i);
    const auto input = std::as_bytes(std::span(in));
    const auto all = std::as_writable_bytes(std::span(out));
    const auto own = all.first(input.size());
    Arguments arguments{.root = step.root, .input = input, .result = own, .reduction = &sum_};
    Run algorithm = nullptr;
    const auto sum_in = [&](std::size_t to, std::size_t from, std::size_t count, int members) {
      for (std::size_t i = 0; i < count; ++i) {
        expected[to + i] = 0;
        for (int member = 0; member < members; ++member) expected[to + i] += value(operation, member, from + i);
      }
    };
    switch (step.operation) {
      case Operation::barrier:
        algorithm = operation % 2 == 0 ? barrier_flags : barrier_groups;
        break;
      case Operation::bcast:
        algorithm = operation % 2 == 0 ? bcast_slots : bcast_single_copy;
        if (rank == step.root) std::ranges::copy(in, out.begin());
        for (std::size_t i = 0; i < step.count; ++i) expected[i] = value(operation, step.root, i);
        break;
      case Operation::reduce:
        algorithm = pick(operation, {reduce_slots, reduce_shares, reduce_single_copy});
        if (rank == step.root) sum_in(0, 0, step.count, size);
        break;
      case Operation::scan:
        algorithm = operation % 2 == 0 ? scan_slots : scan_single_copy;
        sum_in(0, 0, step.count, rank + 1);
        break;
      case Operation::gather:
        algorithm = operation % 2 == 0 ? gather_slots : gather_single_copy;
        arguments.receive = Blocks(all.data(), input.size());
        for (std::size_t i = 0; rank == step.root && i < expected.size(); ++i)
          expected[i] = value(operation, static_cast<int>(i / step.count), i % step.count);
        break;
      case Operation::scatter:
        algorithm = operation % 2 == 0 ? scatter_slots : scatter_single_copy;
        for (std::size_t i = 0; i < given.size(); ++i)
          given[i] = value(operation, static_cast<int>(i / step.count), i % step.count);
        arguments.send = Blocks(std::as_writable_bytes(std::span(given)).data(), input.size());
        for (std::size_t i = 0; i < step.count; ++i) expected[i] = value(operation, rank, i);
        break;
      case Operation::allgather:
        algorithm = allgather_slots;
        arguments.receive = Blocks(all.data(), input.size());
        for (std::size_t i = 0; i < expected.size(); ++i)
          expected[i] = value(operation, static_cast<int>(i / step.count), i % step.count);
        break;
      default:
        algorithm = pick(operation, {allreduce_slots, allreduce_shares, allreduce_groups});
        sum_in(0, 0, step.count, size);
    }
    channel_.carry_out(algorithm, arguments);
    ASSERT_EQ(out, expected) << name_of(step.operation) << " number " << operation << " at member " << rank;
  }

 private:
  ThreadChannel channel_;
  Reduction sum_;
};

TEST(ThreadsSlots, ManyOperationsInARowGiveWhatTheyShould) {
  constexpr Operation kinds[] = {Operation::barrier, Operation::bcast,     Operation::reduce, Operation::allreduce,
                                 Operation::scan,    Operation::allgather, Operation::gather, Operation::scatter};
  for (const std::uint32_t seed : test::seeds()) {
    for (const int size : {2, 3, 5}) {
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(size) + " members");
      std::vector<Line> lines(SlotMemory::bytes_for(size, SlotChannel::slot_bytes) / sizeof(Line));
      const std::span shared(lines.front().bytes, lines.size() * sizeof(Line));
      const auto member = [&](int rank) {
        Thread thread(shared, rank, size);
        std::mt19937 random(seed);
        for (int operation = 0; operation < 40 && !testing::Test::HasFatalFailure(); ++operation) {
          // Roots of their own kind in rows, which may run ahead, and lengths of inline data, of one round and of many.
          const Step step{kinds[random() % std::size(kinds)], static_cast<int>(random() % static_cast<unsigned>(size)),
                          std::size_t{1} << (random() % 11)};
          const int times = 1 + static_cast<int>(random() % 6);
          for (int time = 0; time < times; ++time) thread.carry_out(step, operation);
        }
      };
      std::vector<std::thread> threads;
      for (int rank = 1; rank < size; ++rank) threads.emplace_back(member, rank);
      member(0);
      for (std::thread& thread : threads) thread.join();
    }
  }
}

}  // namespace
}  // namespace bowline::coll
