// SPDX-License-Identifier: BSD-3-Clause
// Blocking collectives in which one rank gives another length than all others, through shared memory: every call
// returns, each rank gets MPI_SUCCESS, MPI_ERR_TRUNCATE, or MPI_ERR_OTHER because a rank before it could not go on, but
// no rank MPI_SUCCESS without a result, and the next collective is right. At least one rank finds out, unless all that
// differs is that somebody has more room than it is given.
#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;

/// One call. All ranks but one give `usual` integers, that one gives `other`.
struct Call {
  int odd, usual, other, root;
  int mine() const { return check::rank == odd ? other : usual; }
  /// What this rank believes that a rank gives: each knows of itself, and the odd one of nobody else.
  int believed(int rank) const { return rank == check::rank ? mine() : usual; }
};

/// Memory for the longest of all calls, so that nothing is written behind it however the ranks disagree.
struct Memory {
  explicit Memory(int longest)
      : in(static_cast<std::size_t>(longest) * static_cast<std::size_t>(check::size), 1), out(in.size()) {}
  std::vector<int> in, out;
};

struct Parts {
  explicit Parts(const Call& call) {
    for (int rank = 0; rank < check::size; ++rank) {
      counts.push_back(call.believed(rank));
      places.push_back(total);
      total += counts.back();
    }
  }
  std::vector<int> counts, places;
  int total = 0;
};

using Function = std::function<int(const Call&, Memory&)>;

const std::vector<std::pair<std::string, Function>> functions = {
    {"bcast", [](const Call& c, Memory& m) { return MPI_Bcast(m.in.data(), c.mine(), MPI_INT, c.root, world); }},
    {"gather",
     [](const Call& c, Memory& m) {
       return MPI_Gather(m.in.data(), c.mine(), MPI_INT, m.out.data(), c.mine(), MPI_INT, c.root, world);
     }},
    {"gatherv",
     [](const Call& c, Memory& m) {
       const Parts parts(c);
       return MPI_Gatherv(m.in.data(), c.mine(), MPI_INT, m.out.data(), parts.counts.data(), parts.places.data(),
                          MPI_INT, c.root, world);
     }},
    {"scatter",
     [](const Call& c, Memory& m) {
       return MPI_Scatter(m.in.data(), c.mine(), MPI_INT, m.out.data(), c.mine(), MPI_INT, c.root, world);
     }},
    {"scatterv",
     [](const Call& c, Memory& m) {
       const Parts parts(c);
       return MPI_Scatterv(m.in.data(), parts.counts.data(), parts.places.data(), MPI_INT, m.out.data(), c.mine(),
                           MPI_INT, c.root, world);
     }},
    {"allgather",
     [](const Call& c, Memory& m) {
       return MPI_Allgather(m.in.data(), c.mine(), MPI_INT, m.out.data(), c.mine(), MPI_INT, world);
     }},
    {"allgatherv",
     [](const Call& c, Memory& m) {
       const Parts parts(c);
       return MPI_Allgatherv(m.in.data(), c.mine(), MPI_INT, m.out.data(), parts.counts.data(), parts.places.data(),
                             MPI_INT, world);
     }},
    {"alltoall",
     [](const Call& c, Memory& m) {
       return MPI_Alltoall(m.in.data(), c.mine(), MPI_INT, m.out.data(), c.mine(), MPI_INT, world);
     }},
    {"alltoallv",
     [](const Call& c, Memory& m) {
       const std::vector<int> counts(static_cast<std::size_t>(check::size), c.mine());
       std::vector<int> places;
       for (int rank = 0; rank < check::size; ++rank) places.push_back(rank * c.mine());
       return MPI_Alltoallv(m.in.data(), counts.data(), places.data(), MPI_INT, m.out.data(), counts.data(),
                            places.data(), MPI_INT, world);
     }},
    {"reduce",
     [](const Call& c, Memory& m) {
       return MPI_Reduce(m.in.data(), m.out.data(), c.mine(), MPI_INT, MPI_SUM, c.root, world);
     }},
    {"allreduce",
     [](const Call& c, Memory& m) {
       return MPI_Allreduce(m.in.data(), m.out.data(), c.mine(), MPI_INT, MPI_SUM, world);
     }},
    {"reduce_scatter_block",
     [](const Call& c, Memory& m) {
       return MPI_Reduce_scatter_block(m.in.data(), m.out.data(), c.mine(), MPI_INT, MPI_SUM, world);
     }},
    {"reduce_scatter",
     [](const Call& c, Memory& m) {
       const std::vector<int> counts(static_cast<std::size_t>(check::size), c.mine());
       return MPI_Reduce_scatter(m.in.data(), m.out.data(), counts.data(), MPI_INT, MPI_SUM, world);
     }},
    {"scan",
     [](const Call& c, Memory& m) { return MPI_Scan(m.in.data(), m.out.data(), c.mine(), MPI_INT, MPI_SUM, world); }},
    {"exscan",
     [](const Call& c, Memory& m) { return MPI_Exscan(m.in.data(), m.out.data(), c.mine(), MPI_INT, MPI_SUM, world); }},
};

/// In gatherv and scatterv only the root knows of what others give.
bool disagree(const std::string& name, const Call& call) {
  const bool pairs = name == "gatherv" || name == "scatterv";
  return !pairs || call.odd != call.root;
}

/// Whether one rank is given more than it has room for, or operands differ in length.
bool must_be_found(const std::string& name, const Call& call) {
  const bool longer = call.other > call.usual;
  const bool is_root = call.odd == call.root;
  if (name == "bcast" || name == "scatter" || name == "scatterv") return is_root == longer;
  if (name == "gather" || name == "gatherv") return is_root != longer;
  if (name == "allgatherv") return longer;
  if (name == "exscan" && check::size == 2) return (call.odd == 0) == longer;  // from the first to the last
  return true;
}

/// Whether this rank cannot have its result, if that is not empty.
bool must_fail(const std::string& name, const Call& call) {
  return call.mine() > 0 && (name == "allreduce" || (name == "scan" && check::rank > call.odd));
}

/// Whether the blocks of the ranks that give what this one believes are there, all of them of this value.
bool blocks_are_there(const Call& call, const Memory& memory, int value) {
  const Parts parts(call);
  for (int rank = 0; rank < check::size; ++rank) {
    const auto begin = memory.out.begin() + parts.places[static_cast<std::size_t>(rank)];
    const int count = rank == call.odd ? 0 : parts.counts[static_cast<std::size_t>(rank)];
    if (std::count(begin, begin + count, value) != count) return false;
  }
  return true;
}

void check_call(const std::string& name, const Function& function, const Call& call, Memory& memory) {
  static int value = 1;  // another one in each of these calls: what is left of an earlier one is not taken for it
  const bool gathers = name == "allgatherv";
  if (gathers) std::ranges::fill(memory.in, ++value);
  int error_class = MPI_SUCCESS;
  MPI_Error_class(function(call, memory), &error_class);
  if (error_class != MPI_SUCCESS && error_class != MPI_ERR_TRUNCATE && error_class != MPI_ERR_OTHER) {
    check::report(__FILE__, __LINE__, name + ": error class " + std::to_string(error_class));
  }
  if (error_class == MPI_SUCCESS && (must_fail(name, call) || (gathers && !blocks_are_there(call, memory, value))))
    check::report(__FILE__, __LINE__,
                  name + ": MPI_SUCCESS without a result where rank " + std::to_string(call.odd) + " gives " +
                      std::to_string(call.other) + " integers and not " + std::to_string(call.usual));
  int found = error_class == MPI_ERR_TRUNCATE ? 1 : 0, anywhere = 0, ranks = 0;
  const int one = 1;
  CHECK_EQ(MPI_Allreduce(&found, &anywhere, 1, MPI_INT, MPI_MAX, world), MPI_SUCCESS);
  CHECK_EQ(MPI_Allreduce(&one, &ranks, 1, MPI_INT, MPI_SUM, world), MPI_SUCCESS);
  CHECK_EQ(ranks, check::size);
  ++check::made;
  if (anywhere == 0 && check::rank == 0 && must_be_found(name, call)) {
    check::report(__FILE__, __LINE__,
                  name + ": no rank was told that rank " + std::to_string(call.odd) + " gives " +
                      std::to_string(call.other) + " and not " + std::to_string(call.usual) + " integers, root " +
                      std::to_string(call.root));
  }
}

/// Rank 0 alone gives much. In every other call it believes that the last rank gives even more, so that another
/// algorithm serves its call. All own lengths agree, and no rank may take another one's memory for what it is not.
void check_belief_in_another_length(const char* rules) {
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "bowline_collectives", rules);
  MPI_Comm_dup_with_info(world, info, &comm);
  MPI_Info_free(&info);
  MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
  const int much = 80'000 * check::size, more = 2 * much, little = 10;  // of four bytes each
  constexpr int calls = 12;  // ranks that arrive at different times find the error in different places
  for (int call = 0; call < calls; ++call) {
    const bool is_wrong = call % 2 == 1;
    std::vector<int> counts(static_cast<std::size_t>(check::size), little), places;
    counts[0] = much;
    if (check::rank == 0 && is_wrong) counts.back() = more;
    for (int rank = 0; rank < check::size; ++rank) places.push_back(rank == 0 ? 0 : much + (rank - 1) * little);
    const int mine = check::rank == 0 ? much : little, all = places.back() + little;
    const std::vector<int> in(static_cast<std::size_t>(mine), call);
    std::vector<int> out(static_cast<std::size_t>(all + more));
    const int error = MPI_Allgatherv(in.data(), mine, MPI_INT, out.data(), counts.data(), places.data(), MPI_INT, comm);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(error, &error_class);
    if (!is_wrong) CHECK_EQ(error_class, MPI_SUCCESS);
    if (is_wrong && check::rank == 0) CHECK(error_class == MPI_ERR_TRUNCATE || error_class == MPI_ERR_OTHER);
    const bool is_right = std::all_of(out.begin(), out.begin() + all, [&](int value) { return value == call; });
    CHECK(error_class != MPI_SUCCESS || is_right);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  }
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  // Within a cache line, over its end, over the ends of slots, and over those of the algorithms that the rules choose.
  constexpr std::array<std::pair<int, int>, 7> lengths = {
      {{0, 1}, {1, 3}, {9, 11}, {100, 5000}, {1000, 20000}, {7000, 9000}, {1, 140000}}};
  Memory memory(lengths.back().second);
  const int last = check::size - 1;
  for (const auto& [name, function] : functions) {
    for (const auto& [shorter, longer] : lengths) {
      for (const int odd : {0, last}) {
        for (const int root : {0, last}) {
          for (const Call& call : {Call{odd, shorter, longer, root}, Call{odd, longer, shorter, root}}) {
            if (disagree(name, call)) check_call(name, function, call, memory);
          }
        }
      }
    }
  }
  check_belief_in_another_length("allgatherv bytes<=350K = slots, allgatherv = single_copy");
  check_belief_in_another_length("allgatherv bytes<=350K = single_copy, allgatherv = slots");
  return program.finish();
}
