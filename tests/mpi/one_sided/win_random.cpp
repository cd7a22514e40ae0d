// SPDX-License-Identifier: BSD-3-Clause
// win_random [PROGRAMS [SEED]]: random programs of one-sided operations against a sequential reference.
//
// All ranks make the same program from the same random numbers: several windows of every flavour and a row of phases.
// In a phase each rank's memory is divided into segments. A segment belongs to one origin, which does operations there
// in a known order; or to all, which only accumulate with one operator, in any order. Every rank applies the phase to
// its own copy of all memory, and compares that with its window's memory.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "check.hpp"
#include "one_sided/random_layout.hpp"

namespace {

using random_program::Basic;
using random_program::Layout;
using random_program::Random;
using random_program::random_layout;
using Bytes = std::vector<unsigned char>;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int memory_bytes = 24 << 10;

const Basic basics[] = {{MPI_INT64_T, 8, true}, {MPI_INT32_T, 4, true}, {MPI_DOUBLE, 8, false}, {MPI_FLOAT, 4, false},
                        {MPI_INT16_T, 2, true}, {MPI_UINT8_T, 1, true}, {MPI_UINT64_T, 8, true}};

double value_of(const Basic& basic, const unsigned char* at) {
  const auto read = [at](auto value) {
    std::memcpy(&value, at, sizeof value);
    return static_cast<double>(value);
  };
  if (basic.type == MPI_INT64_T) return read(std::int64_t{});
  if (basic.type == MPI_INT32_T) return read(std::int32_t{});
  if (basic.type == MPI_DOUBLE) return read(double{});
  if (basic.type == MPI_FLOAT) return read(float{});
  if (basic.type == MPI_INT16_T) return read(std::int16_t{});
  if (basic.type == MPI_UINT8_T) return read(std::uint8_t{});
  return read(std::uint64_t{});
}

void set_value(const Basic& basic, unsigned char* at, double value) {
  const auto write = [at](auto number) { std::memcpy(at, &number, sizeof number); };
  if (basic.type == MPI_INT64_T) write(static_cast<std::int64_t>(value));
  if (basic.type == MPI_INT32_T) write(static_cast<std::int32_t>(value));
  if (basic.type == MPI_DOUBLE) write(value);
  if (basic.type == MPI_FLOAT) write(static_cast<float>(value));
  if (basic.type == MPI_INT16_T) write(static_cast<std::int16_t>(value));
  if (basic.type == MPI_UINT8_T) write(static_cast<std::uint8_t>(value));
  if (basic.type == MPI_UINT64_T) write(static_cast<std::uint64_t>(value));
}

/// Results stay below 100, so every type holds them.
const std::vector<MPI_Op> operators = {MPI_REPLACE, MPI_MAX, MPI_MIN, MPI_NO_OP};
double applied(MPI_Op op, double target, double origin) {
  if (op == MPI_MAX) return std::max(target, origin);
  if (op == MPI_MIN) return std::min(target, origin);
  if (op == MPI_SUM) return target + origin;
  return op == MPI_REPLACE ? origin : target;
}

enum class Flavour { created, allocated, dynamic, shared };
enum class Kind { fence, posted, locked, locked_all };

struct Window {
  Flavour flavour = Flavour::created;
  MPI_Win win = MPI_WIN_NULL;
  unsigned char* base = nullptr;
  std::unique_ptr<double[]> own;
  std::vector<MPI_Aint> addresses;  ///< of dynamic windows
  std::vector<int> units;           ///< by rank
  std::vector<Bytes> reference;     ///< by rank

  MPI_Aint displacement(int rank, int offset) const {
    const auto at = static_cast<std::size_t>(rank);
    return flavour == Flavour::dynamic ? addresses[at] + offset : MPI_Aint{offset} / units[at];
  }
};

void make(Window& window, Random& random, bool share) {
  window.flavour = static_cast<Flavour>(random.below(share ? 4 : 3));
  for (int rank = 0; rank < check::size; ++rank) window.units.push_back(1 << random.below(4));
  window.reference.assign(static_cast<std::size_t>(check::size), Bytes(memory_bytes));
  const int unit = window.units[static_cast<std::size_t>(check::rank)];
  if (window.flavour == Flavour::allocated)
    MPI_Win_allocate(memory_bytes, unit, MPI_INFO_NULL, world, &window.base, &window.win);
  if (window.flavour == Flavour::shared)
    MPI_Win_allocate_shared(memory_bytes, unit, MPI_INFO_NULL, world, &window.base, &window.win);
  if (window.base == nullptr) {
    window.own = std::make_unique<double[]>(memory_bytes / sizeof(double));
    window.base = reinterpret_cast<unsigned char*>(window.own.get());
  }
  if (window.flavour == Flavour::created)
    MPI_Win_create(window.base, memory_bytes, unit, MPI_INFO_NULL, world, &window.win);
  if (window.flavour == Flavour::dynamic) {
    MPI_Win_create_dynamic(MPI_INFO_NULL, world, &window.win);
    MPI_Win_attach(window.win, window.base, memory_bytes);
    MPI_Aint address;
    MPI_Get_address(window.base, &address);
    window.addresses.resize(static_cast<std::size_t>(check::size));
    MPI_Allgather(&address, 1, MPI_AINT, window.addresses.data(), 1, MPI_AINT, world);
  }
  std::memset(window.base, 0, memory_bytes);
  MPI_Barrier(world);
}

/// What an origin does to a segment.
struct Step {
  enum class What { put, get, accumulate, get_accumulate, fetch, swap } what;
  MPI_Op op;
  Layout origin, target, result;  ///< of the whole segment's elements
  std::vector<double> operand;
  bool with_request, flushes;
};

struct Segment {
  int target;
  int offset;  ///< bytes
  int origin;  ///< of an exclusive segment
  bool of_all;
  Basic basic;
  int count;
  std::vector<Step> steps;  ///< of the origin; of every origin its own, if it belongs to all
};

Step random_step(Random& random, const Segment& segment, bool passive) {
  Step step;
  step.what = static_cast<Step::What>(random.below(segment.count == 1 ? (segment.basic.is_integer ? 6 : 5) : 4));
  step.op = operators[static_cast<std::size_t>(random.below(static_cast<int>(operators.size())))];
  if (segment.of_all) {
    step.what = Step::What::accumulate;
    step.op = MPI_SUM;
  }
  if (step.what == Step::What::accumulate && step.op == MPI_NO_OP) step.op = MPI_REPLACE;
  step.origin = random_layout(random, segment.basic, segment.count, 2 * segment.count);
  step.result = random_layout(random, segment.basic, segment.count, 2 * segment.count);
  step.target = random_layout(random, segment.basic, segment.count, 2 * segment.count);
  for (int i = 0; i < segment.count; ++i) step.operand.push_back(segment.of_all ? random.below(2) : random.below(100));
  step.with_request = passive && random.chance(3);
  step.flushes = passive && random.chance(2);
  return step;
}

/// Divides a rank's memory, and decides what happens there.
void divide(Random& random, int target, bool passive, std::vector<Segment>& all) {
  for (int offset = 0; offset < memory_bytes;) {
    Segment segment{target, offset, random.below(check::size), random.chance(4), {}, 1, {}};
    segment.basic = basics[random.below(static_cast<int>(std::size(basics)))];
    segment.count = random.chance(4) ? 1 : random.chance(6) ? 1 + random.below(800) : 1 + random.below(40);
    const int bytes = (2 * segment.count * segment.basic.bytes + 15) / 8 * 8;
    if (offset + bytes > memory_bytes) return;
    offset += bytes;
    if (random.chance(3)) continue;
    // Without a flush between them, only accumulates of one origin are ordered.
    const int steps = segment.of_all ? check::size : passive ? 1 + random.below(3) : 1;
    for (int i = 0; i < steps; ++i) {
      segment.steps.push_back(random_step(random, segment, passive));
      if (i + 1 < steps && !segment.of_all) segment.steps.back().flushes = true;
    }
    all.push_back(std::move(segment));
  }
}

/// The buffers of the steps of a phase, and what is to be checked when it is over.
struct Pending {
  std::vector<std::unique_ptr<Bytes>> buffers;
  std::vector<MPI_Request> requests;
  std::vector<std::function<void()>> checks;

  unsigned char* buffer(int bytes) {
    buffers.push_back(std::make_unique<Bytes>(static_cast<std::size_t>(bytes) + 16));
    auto address = reinterpret_cast<std::uintptr_t>(buffers.back()->data());
    return reinterpret_cast<unsigned char*>((address + 15) / 16 * 16);
  }
};

void start(const Window& window, const Segment& segment, const Step& step, Pending& pending) {
  const Basic& basic = segment.basic;
  const auto at = [&](const Layout& layout, std::size_t i) { return layout.elements[i] * basic.bytes; };
  unsigned char* const origin = pending.buffer(step.origin.span * basic.bytes);
  unsigned char* const result = pending.buffer(step.result.span * basic.bytes);
  for (std::size_t i = 0; i < step.operand.size(); ++i) set_value(basic, origin + at(step.origin, i), step.operand[i]);
  const int rank = segment.target;
  const MPI_Aint place = window.displacement(rank, segment.offset);
  const MPI_Datatype from = step.origin.type, to = step.target.type, into = step.result.type;
  std::vector<double> before;
  for (std::size_t i = 0; i < step.operand.size(); ++i)
    before.push_back(value_of(basic, &window.reference[static_cast<std::size_t>(rank)]
                                                      [static_cast<std::size_t>(segment.offset + at(step.target, i))]));
  MPI_Request* const request = step.with_request ? &pending.requests.emplace_back(MPI_REQUEST_NULL) : nullptr;
  const void* const operand = step.op == MPI_NO_OP ? nullptr : origin;
  bool fetches = true;
  switch (step.what) {
    case Step::What::put:
      request != nullptr ? MPI_Rput(origin, 1, from, rank, place, 1, to, window.win, request)
                         : MPI_Put(origin, 1, from, rank, place, 1, to, window.win);
      fetches = false;
      break;
    case Step::What::get:
      request != nullptr ? MPI_Rget(result, 1, into, rank, place, 1, to, window.win, request)
                         : MPI_Get(result, 1, into, rank, place, 1, to, window.win);
      break;
    case Step::What::accumulate:
      request != nullptr ? MPI_Raccumulate(origin, 1, from, rank, place, 1, to, step.op, window.win, request)
                         : MPI_Accumulate(origin, 1, from, rank, place, 1, to, step.op, window.win);
      fetches = false;
      break;
    case Step::What::get_accumulate:
      request != nullptr
          ? MPI_Rget_accumulate(operand, 1, from, result, 1, into, rank, place, 1, to, step.op, window.win, request)
          : MPI_Get_accumulate(operand, 1, from, result, 1, into, rank, place, 1, to, step.op, window.win);
      break;
    case Step::What::fetch:
      MPI_Fetch_and_op(operand, result, basic.type, rank, place, step.op, window.win);
      break;
    case Step::What::swap:
      unsigned char* const compare = pending.buffer(basic.bytes);
      set_value(basic, compare, step.operand[0] < 50 ? before[0] : before[0] + 1);
      MPI_Compare_and_swap(origin, compare, result, basic.type, rank, place, window.win);
      break;
  }
  if (!fetches) return;
  pending.checks.emplace_back([&step, basic, result, before] {
    for (std::size_t i = 0; i < before.size(); ++i)
      if (!CHECK_EQ(value_of(basic, result + step.result.elements[i] * basic.bytes), before[i])) return;
  });
}

/// The effect of a step on the reference.
void apply(Window& window, const Segment& segment, const Step& step) {
  Bytes& memory = window.reference[static_cast<std::size_t>(segment.target)];
  for (std::size_t i = 0; i < step.operand.size(); ++i) {
    unsigned char* const at =
        &memory[static_cast<std::size_t>(segment.offset + step.target.elements[i] * segment.basic.bytes)];
    const double before = value_of(segment.basic, at);
    switch (step.what) {
      case Step::What::get:
        break;
      case Step::What::put:
        set_value(segment.basic, at, step.operand[i]);
        break;
      case Step::What::swap:
        if (step.operand[0] < 50) set_value(segment.basic, at, step.operand[i]);
        break;
      default:
        set_value(segment.basic, at, applied(step.op, before, step.operand[i]));
    }
  }
}

/// Gives all memory values that the types of the segments hold.
void fill(Window& window, Random& random, const std::vector<Segment>& segments) {
  for (Bytes& each : window.reference) std::fill(each.begin(), each.end(), static_cast<unsigned char>(0));
  for (const Segment& segment : segments) {
    Bytes& memory = window.reference[static_cast<std::size_t>(segment.target)];
    for (int i = 0; i < 2 * segment.count; ++i)
      set_value(segment.basic, &memory[static_cast<std::size_t>(segment.offset + i * segment.basic.bytes)],
                random.below(100));
  }
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check::rank, 0, window.win);
  std::memcpy(window.base, window.reference[static_cast<std::size_t>(check::rank)].data(), memory_bytes);
  MPI_Win_unlock(check::rank, window.win);
  MPI_Barrier(world);
}

void begin(const Window& window, Kind kind, MPI_Group all) {
  if (kind == Kind::fence) MPI_Win_fence(0, window.win);
  if (kind == Kind::posted) {
    MPI_Win_post(all, 0, window.win);
    MPI_Win_start(all, 0, window.win);
  }
  if (kind == Kind::locked_all) MPI_Win_lock_all(0, window.win);
}

void end(const Window& window, Kind kind, bool free_follows) {
  if (kind == Kind::fence) MPI_Win_fence(free_follows ? MPI_MODE_NOSUCCEED : 0, window.win);
  if (kind == Kind::posted) {
    MPI_Win_complete(window.win);
    MPI_Win_wait(window.win);
  }
  if (kind == Kind::locked_all) MPI_Win_unlock_all(window.win);
}

void complete(Pending& pending) {
  CHECK_EQ(MPI_Waitall(static_cast<int>(pending.requests.size()), pending.requests.data(), MPI_STATUSES_IGNORE),
           MPI_SUCCESS);
  pending.requests.clear();
}

void phase(Window& window, Random& random, MPI_Group all) {
  const Kind kind = static_cast<Kind>(random.below(4));
  const bool passive = kind == Kind::locked || kind == Kind::locked_all;
  std::vector<Segment> segments;
  for (int rank = 0; rank < check::size; ++rank) divide(random, rank, passive, segments);
  fill(window, random, segments);
  Pending pending;
  begin(window, kind, all);
  for (Segment& segment : segments) {
    const int lock = segment.of_all || random.chance(2) ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE;
    const bool takes_part = segment.of_all || segment.origin == check::rank;
    if (takes_part && kind == Kind::locked) MPI_Win_lock(lock, segment.target, 0, window.win);
    for (std::size_t i = 0; i < segment.steps.size(); ++i) {
      const Step& step = segment.steps[i];
      const bool mine = segment.of_all ? static_cast<int>(i) == check::rank : segment.origin == check::rank;
      if (mine) start(window, segment, step, pending);
      if (mine && step.flushes) {
        complete(pending);
        step.operand[0] < 50 ? MPI_Win_flush(segment.target, window.win) : MPI_Win_flush_all(window.win);
      }
      apply(window, segment, step);
    }
    if (takes_part && kind == Kind::locked) {
      complete(pending);
      CHECK_EQ(MPI_Win_unlock(segment.target, window.win), MPI_SUCCESS);
    }
  }
  complete(pending);
  end(window, kind, random.chance(2));
  for (const auto& each : pending.checks) each();
  MPI_Barrier(world);
  MPI_Win_lock(MPI_LOCK_SHARED, check::rank, 0, window.win);
  const Bytes& expected = window.reference[static_cast<std::size_t>(check::rank)];
  CHECK(std::memcmp(window.base, expected.data(), memory_bytes) == 0);
  MPI_Win_unlock(check::rank, window.win);
  MPI_Barrier(world);
  for (Segment& segment : segments) {
    for (Step& step : segment.steps) {
      for (Layout* const layout : {&step.origin, &step.target, &step.result}) layout->free();
    }
  }
}

/// Whether all ranks can share memory: MPI_Win_allocate_shared says so.
bool memory_is_shared() {
  MPI_Errhandler before;
  MPI_Comm_get_errhandler(world, &before);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  void* base = nullptr;
  MPI_Win win;
  const bool made = MPI_Win_allocate_shared(8, 1, MPI_INFO_NULL, world, &base, &win) == MPI_SUCCESS;
  if (made) MPI_Win_free(&win);
  MPI_Comm_set_errhandler(world, before);
  MPI_Errhandler_free(&before);
  return made;
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const int programs = argc > 1 ? std::atoi(argv[1]) : 3;
  const unsigned long seed = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20261124;
  const bool share = memory_is_shared();
  MPI_Group all;
  MPI_Comm_group(world, &all);
  for (int i = 0; i < programs && check::failed == 0; ++i) {
    Random random(seed + static_cast<unsigned long>(i));
    std::vector<Window> windows(static_cast<std::size_t>(1 + random.below(3)));
    for (Window& window : windows) make(window, random, share);
    for (int phases = 2 + random.below(8); phases > 0 && check::failed == 0; --phases)
      phase(windows[static_cast<std::size_t>(random.below(static_cast<int>(windows.size())))], random, all);
    if (check::failed > 0)
      std::fprintf(stderr, "rank %d: the seed is %lu\n", check::rank, seed + static_cast<unsigned long>(i));
    for (Window& window : windows) {
      if (window.flavour == Flavour::dynamic) MPI_Win_detach(window.win, window.base);
      CHECK_EQ(MPI_Win_free(&window.win), MPI_SUCCESS);
    }
  }
  MPI_Group_free(&all);
  return program.finish();
}
