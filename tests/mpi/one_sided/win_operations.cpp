// SPDX-License-Identifier: BSD-3-Clause
// win_operations: every one-sided operation on every flavour of window, with short and long data, derived datatypes and
// every predefined operator.
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// A window of `count` numbers in each rank.
class Window {
 public:
  enum Flavour { created, allocated, dynamic };

  Window(Flavour flavour, std::size_t count) : flavour_(flavour), count_(count) {
    const auto bytes = static_cast<MPI_Aint>(count * sizeof(std::int64_t));
    if (flavour == allocated) {
      CHECK_EQ(MPI_Win_allocate(bytes, sizeof(std::int64_t), MPI_INFO_NULL, world, &base, &win), MPI_SUCCESS);
    } else {
      memory_.resize(count);
      base = memory_.data();
      if (flavour == created) {
        CHECK_EQ(MPI_Win_create(base, bytes, sizeof(std::int64_t), MPI_INFO_NULL, world, &win), MPI_SUCCESS);
      } else {
        CHECK_EQ(MPI_Win_create_dynamic(MPI_INFO_NULL, world, &win), MPI_SUCCESS);
        CHECK_EQ(MPI_Win_attach(win, base, bytes), MPI_SUCCESS);
        addresses_.resize(static_cast<std::size_t>(check::size));
        MPI_Aint mine;
        MPI_Get_address(base, &mine);
        MPI_Allgather(&mine, 1, MPI_AINT, addresses_.data(), 1, MPI_AINT, world);
      }
    }
    fill();
  }
  ~Window() {
    if (flavour_ == dynamic) CHECK_EQ(MPI_Win_detach(win, base), MPI_SUCCESS);
    CHECK_EQ(MPI_Win_free(&win), MPI_SUCCESS);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// The displacement of element `i` of a rank.
  MPI_Aint at(int rank, std::size_t i) const {
    if (flavour_ != dynamic) return static_cast<MPI_Aint>(i);
    return addresses_[static_cast<std::size_t>(rank)] + static_cast<MPI_Aint>(i * sizeof(std::int64_t));
  }
  static std::int64_t initial(int rank, std::size_t i) { return 1000 * rank + static_cast<std::int64_t>(i % 997); }
  /// Sets the initial values, which all ranks then see.
  void fill() const {
    MPI_Barrier(world);
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check::rank, 0, win);
    for (std::size_t i = 0; i < count_; ++i) base[i] = initial(check::rank, i);
    MPI_Win_unlock(check::rank, win);
    MPI_Barrier(world);
  }

  MPI_Win win = MPI_WIN_NULL;
  std::int64_t* base = nullptr;

 private:
  Flavour flavour_;
  std::size_t count_;
  std::vector<std::int64_t> memory_;
  std::vector<MPI_Aint> addresses_;
};

std::vector<std::int64_t> numbers(std::size_t count, std::int64_t first) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

const std::vector<std::size_t> lengths = {1, 5, 100, 3000, 70000};

/// Each rank puts to its right neighbour and gets that back.
void put_and_get(const Window& window) {
  for (const std::size_t length : lengths) {
    const int right = check::right();
    const auto sent = numbers(length, 7 * check::rank);
    std::vector<std::int64_t> before(length), after(length);
    CHECK_EQ(MPI_Win_lock(MPI_LOCK_EXCLUSIVE, right, 0, window.win), MPI_SUCCESS);
    MPI_Get(before.data(), static_cast<int>(length), MPI_INT64_T, right, window.at(right, 2), static_cast<int>(length),
            MPI_INT64_T, window.win);
    CHECK_EQ(MPI_Win_flush(right, window.win), MPI_SUCCESS);
    MPI_Put(sent.data(), static_cast<int>(length), MPI_INT64_T, right, window.at(right, 2), static_cast<int>(length),
            MPI_INT64_T, window.win);
    CHECK_EQ(MPI_Win_flush(right, window.win), MPI_SUCCESS);
    MPI_Get_c(after.data(), static_cast<MPI_Count>(length), MPI_INT64_T, right, window.at(right, 2),
              static_cast<MPI_Count>(length), MPI_INT64_T, window.win);
    CHECK_EQ(MPI_Win_unlock(right, window.win), MPI_SUCCESS);
    for (std::size_t i = 0; i < length; ++i) {
      if (!CHECK_EQ(before[i], Window::initial(right, i + 2)) || !CHECK_EQ(after[i], sent[i])) break;
    }
    MPI_Barrier(world);
    CHECK_EQ(window.base[1], Window::initial(check::rank, 1));
    CHECK_EQ(window.base[length + 2], Window::initial(check::rank, length + 2));
    window.fill();
  }
}

/// All ranks put every third number of rank 0's window through derived datatypes on both sides.
void with_holes(const Window& window) {
  for (const int count : {4, 300, 9000}) {
    MPI_Datatype every_third, pairs;
    MPI_Type_vector(count, 1, 3 * check::size, MPI_INT64_T, &every_third);
    MPI_Type_create_resized(MPI_INT64_T, 0, 2 * sizeof(std::int64_t), &pairs);
    MPI_Type_commit(&every_third);
    MPI_Type_commit(&pairs);
    const auto mine = static_cast<std::size_t>(3 * check::rank);
    auto spread = numbers(2 * static_cast<std::size_t>(count), check::rank);
    std::vector<std::int64_t> back(2 * static_cast<std::size_t>(count), -1);
    MPI_Win_fence(0, window.win);
    MPI_Put(spread.data(), count, pairs, 0, window.at(0, mine), 1, every_third, window.win);
    MPI_Win_fence(0, window.win);
    MPI_Get(back.data(), count, pairs, 0, window.at(0, mine), 1, every_third, window.win);
    MPI_Win_fence(0, window.win);
    MPI_Accumulate(spread.data(), count, pairs, 0, window.at(0, mine), 1, every_third, MPI_SUM, window.win);
    MPI_Win_fence(0, window.win);
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (!CHECK_EQ(back[i], i % 2 == 0 ? spread[i] : -1)) break;
    }
    const auto stride = static_cast<std::size_t>(3 * check::size);
    for (std::size_t i = 0; check::rank == 0 && i < static_cast<std::size_t>(count) * stride; ++i) {
      const std::int64_t rank = static_cast<std::int64_t>(i % stride / 3), step = static_cast<std::int64_t>(i / stride);
      if (!CHECK_EQ(window.base[i], i % 3 == 0 ? 2 * (rank + 2 * step) : Window::initial(0, i))) break;
    }
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window.win);
    MPI_Type_free(&every_third);
    MPI_Type_free(&pairs);
    window.fill();
  }
}

struct Operator {
  MPI_Op op;
  std::function<std::int64_t(std::int64_t, std::int64_t)> apply;
};
const std::vector<Operator>& operators() {
  static const std::vector<Operator> all = {
      {MPI_SUM, std::plus<>()},
      {MPI_PROD, std::multiplies<>()},
      {MPI_MIN, [](auto a, auto b) { return std::min(a, b); }},
      {MPI_MAX, [](auto a, auto b) { return std::max(a, b); }},
      {MPI_BAND, std::bit_and<>()},
      {MPI_BOR, std::bit_or<>()},
      {MPI_BXOR, std::bit_xor<>()},
      {MPI_LAND, [](auto a, auto b) { return a != 0 && b != 0 ? 1 : 0; }},
      {MPI_LOR, [](auto a, auto b) { return a != 0 || b != 0 ? 1 : 0; }},
      {MPI_LXOR, [](auto a, auto b) { return (a != 0) != (b != 0) ? 1 : 0; }},
      {MPI_REPLACE, [](auto, auto b) { return b; }},
      {MPI_NO_OP, [](auto a, auto) { return a; }},
  };
  return all;
}

/// Every operator, fetching or not, on the right neighbour.
void accumulates(const Window& window) {
  for (const Operator& each : operators()) {
    for (const std::size_t length : {std::size_t{1}, std::size_t{40}, std::size_t{2000}, std::size_t{30000}}) {
      const int right = check::right(), count = static_cast<int>(length);
      const auto operand = numbers(length, 3);
      std::vector<std::int64_t> old(length, -1), now(length, -1);
      MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window.win);
      if (each.op != MPI_NO_OP) {
        MPI_Accumulate(operand.data(), count, MPI_INT64_T, right, window.at(right, 0), count, MPI_INT64_T, each.op,
                       window.win);
      }
      const void* const origin = each.op == MPI_NO_OP ? nullptr : operand.data();
      MPI_Get_accumulate(origin, count, MPI_INT64_T, old.data(), count, MPI_INT64_T, right, window.at(right, 0), count,
                         MPI_INT64_T, each.op, window.win);
      MPI_Win_flush(right, window.win);
      MPI_Get(now.data(), count, MPI_INT64_T, right, window.at(right, 0), count, MPI_INT64_T, window.win);
      CHECK_EQ(MPI_Win_unlock(right, window.win), MPI_SUCCESS);
      for (std::size_t i = 0; i < length; ++i) {
        const std::int64_t once = each.apply(Window::initial(right, i), operand[i]);
        if (!CHECK_EQ(old[i], once) || !CHECK_EQ(now[i], each.apply(once, operand[i]))) break;
      }
      MPI_Barrier(world);
      window.fill();
    }
  }
}

/// One element of a type: fetch-and-op and compare-and-swap by all ranks on one place of rank 0.
template <class T>
void single(const Window& window, MPI_Datatype type, bool swaps) {
  MPI_Barrier(world);
  if (check::rank == 0) {
    MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, window.win);
    std::memset(window.base, 0, 4 * sizeof(std::int64_t));
    MPI_Win_unlock(0, window.win);
  }
  MPI_Barrier(world);
  constexpr int rounds = 20;
  const T one = 1;
  T last = 0;
  MPI_Win_lock_all(0, window.win);
  for (int i = 0; i < rounds; ++i) {
    T old = 0;
    MPI_Fetch_and_op(&one, &old, type, 0, window.at(0, 0), MPI_SUM, window.win);
    MPI_Win_flush(0, window.win);
    CHECK(i == 0 || old > last);
    last = old;
  }
  for (int i = 0; swaps && i < rounds; ++i) {
    T seen = 0, found = 0;
    for (;;) {
      const T next = static_cast<T>(seen + 1);
      MPI_Compare_and_swap(&next, &seen, &found, type, 0, window.at(0, 2), window.win);
      MPI_Win_flush(0, window.win);
      if (found == seen) break;
      seen = found;
    }
  }
  MPI_Win_unlock_all(window.win);
  MPI_Barrier(world);
  T sum = 0, swapped = 0;
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
  MPI_Fetch_and_op(nullptr, &sum, type, 0, window.at(0, 0), MPI_NO_OP, window.win);
  MPI_Fetch_and_op(nullptr, &swapped, type, 0, window.at(0, 2), MPI_NO_OP, window.win);
  MPI_Win_unlock(0, window.win);
  CHECK_EQ(static_cast<long>(sum), long{rounds} * check::size);
  if (swaps) CHECK_EQ(static_cast<long>(swapped), long{rounds} * check::size);
  MPI_Barrier(world);
}

struct Pair {
  double value;
  int index;
};

/// Pairs, which have padding.
void pairs(const Window& window) {
  MPI_Barrier(world);
  auto* const place = reinterpret_cast<Pair*>(window.base);
  MPI_Win_lock(MPI_LOCK_EXCLUSIVE, check::rank, 0, window.win);
  for (int i = 0; i < 3; ++i) place[i] = {-1.0, -1};
  MPI_Win_unlock(check::rank, window.win);
  MPI_Barrier(world);
  const Pair mine[3] = {{1.0 * check::rank, check::rank}, {-2.0, check::rank}, {5.0, 100 - check::rank}};
  Pair old[3];
  MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
  MPI_Get_accumulate(mine, 3, MPI_DOUBLE_INT, old, 3, MPI_DOUBLE_INT, 0, window.at(0, 0), 3, MPI_DOUBLE_INT, MPI_MAXLOC,
                     window.win);
  MPI_Win_unlock(0, window.win);
  MPI_Barrier(world);
  if (check::rank == 0) {
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window.win);
    CHECK(place[0].value == check::size - 1 && place[0].index == check::size - 1);
    CHECK(place[1].value == -1.0 && place[1].index == -1);
    CHECK(place[2].value == 5.0 && place[2].index == 100 - (check::size - 1));
    MPI_Win_unlock(0, window.win);
  }
  MPI_Barrier(world);
}

/// Operations with requests, all at once on all ranks.
void requests(const Window& window) {
  window.fill();
  const std::size_t part = 2000, offset = part * static_cast<std::size_t>(check::rank);
  const auto sent = numbers(part, 5 * check::rank);
  const int count = static_cast<int>(part);
  std::vector<std::vector<std::int64_t>> got(static_cast<std::size_t>(check::size), std::vector<std::int64_t>(part));
  auto fetched = got;
  std::vector<MPI_Request> waiting;
  const auto request = [&]() -> MPI_Request* { return &waiting.emplace_back(MPI_REQUEST_NULL); };
  MPI_Win_lock_all(0, window.win);
  for (int rank = 0; rank < check::size; ++rank)
    MPI_Rput(sent.data(), count, MPI_INT64_T, rank, window.at(rank, offset), count, MPI_INT64_T, window.win, request());
  CHECK_EQ(MPI_Waitall(static_cast<int>(waiting.size()), waiting.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  MPI_Win_flush_all(window.win);
  waiting.clear();
  for (int rank = 0; rank < check::size; ++rank)
    MPI_Raccumulate(sent.data(), count, MPI_INT64_T, rank, window.at(rank, offset), count, MPI_INT64_T, MPI_SUM,
                    window.win, request());
  for (int rank = 0; rank < check::size; ++rank)
    MPI_Rget_accumulate(sent.data(), count, MPI_INT64_T, fetched[static_cast<std::size_t>(rank)].data(), count,
                        MPI_INT64_T, rank, window.at(rank, offset), count, MPI_INT64_T, MPI_SUM, window.win, request());
  CHECK_EQ(MPI_Waitall(static_cast<int>(waiting.size()), waiting.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  MPI_Win_flush_all(window.win);
  waiting.clear();
  for (int rank = 0; rank < check::size; ++rank)
    MPI_Rget(got[static_cast<std::size_t>(rank)].data(), count, MPI_INT64_T, rank, window.at(rank, offset), count,
             MPI_INT64_T, window.win, request());
  MPI_Request nobody = MPI_REQUEST_NULL;
  MPI_Rput(sent.data(), count, MPI_INT64_T, MPI_PROC_NULL, 0, count, MPI_INT64_T, window.win, &nobody);
  waiting.push_back(nobody);
  CHECK_EQ(MPI_Waitall(static_cast<int>(waiting.size()), waiting.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  MPI_Win_unlock_all(window.win);
  for (int rank = 0; rank < check::size; ++rank) {
    for (std::size_t i = 0; i < part; ++i) {
      if (!CHECK_EQ(fetched[static_cast<std::size_t>(rank)][i], 2 * sent[i]) ||
          !CHECK_EQ(got[static_cast<std::size_t>(rank)][i], 3 * sent[i]))
        break;
    }
  }
  MPI_Barrier(world);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  for (const auto flavour : {Window::allocated, Window::created, Window::dynamic}) {
    const Window window(flavour, 3 * 9000 * static_cast<std::size_t>(check::size) + 71000);
    put_and_get(window);
    with_holes(window);
    accumulates(window);
    single<std::int8_t>(window, MPI_INT8_T, true);
    single<short>(window, MPI_SHORT, true);
    single<int>(window, MPI_INT, true);
    single<unsigned>(window, MPI_UNSIGNED, true);
    single<std::int64_t>(window, MPI_INT64_T, true);
    single<MPI_Aint>(window, MPI_AINT, true);
    single<float>(window, MPI_FLOAT, false);
    single<double>(window, MPI_DOUBLE, false);
    single<long double>(window, MPI_LONG_DOUBLE, false);
    pairs(window);
    requests(window);
  }
  return program.finish();
}
