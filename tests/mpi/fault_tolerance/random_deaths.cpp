// SPDX-License-Identifier: BSD-3-Clause
// random_deaths SECONDS [links | DEATHS SEED]: works on a communicator while ranks are killed at any moment, and goes
// on with those that live.
//
// - mpiexec --chaos kills the ranks. With DEATHS and SEED this program kills so many of its ranks itself, but never
//   rank 0; the seed determines which ranks, and when.
// - With links, mpiexec --chaos also breaks connections. Then the other ranks may exclude a rank that lives; that rank
//   ends.
//
// Each round ends with an agreement whether all results were right. If not, the members revoke the communicator, shrink
// it, and repeat the round on the new one.
#include <mpi-ext.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include "check.hpp"
#include "survivors.hpp"

namespace {

/// The functions below return whether they have succeeded at this member; then their results are right.
class Workers {
 public:
  explicit Workers(bool links) : links_(links) {
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    learn_members();
  }
  ~Workers() { free(comm_); }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void work(int round, bool last) {
    enum : int { right = 1, finished = 2 };
    for (;;) {
      bool done = reduce(round) && pass_on(round) && spread(round) && collect() && overlap(round);
      if (!done) MPIX_Comm_revoke(comm_);  // others may wait for this member
      done = duplicate(done);
      int flag = (done ? right : 0) | (last ? finished : 0);
      const bool agreed = succeeded(MPIX_Comm_agree(comm_, &flag));
      ended_ = (flag & finished) != 0;
      if (agreed && (flag & right) != 0) return;
      CHECK(!agreed || (flag & right) == 0);
      if (!repair()) return;
    }
  }
  /// Whether all members wanted the last round to be the last one.
  bool ended() const { return ended_; }

 private:
  /// Failed processes are the only reason for an error.
  bool succeeded(int code) {
    if (code == MPI_SUCCESS) return true;
    int error_class = MPI_SUCCESS, characters = 0;
    std::array<char, MPI_MAX_ERROR_STRING> text{};
    MPI_Error_class(code, &error_class);
    MPI_Error_string(code, text.data(), &characters);
    const bool expected = error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_PROC_FAILED_PENDING ||
                          error_class == MPIX_ERR_REVOKED;
    if (!CHECK(expected)) std::fprintf(stderr, "rank %d: %s\n", check::rank, text.data());
    return false;
  }

  bool reduce(int round) {
    const long mine = check::rank + round;
    long sum = 0;
    if (!succeeded(MPI_Allreduce(&mine, &sum, 1, MPI_LONG, MPI_SUM, comm_))) return false;
    return CHECK_EQ(sum, std::accumulate(members_.begin(), members_.end(), 0L) + static_cast<long>(size()) * round);
  }

  /// Long messages in a ring.
  bool pass_on(int round) {
    const int next = (rank_ + 1) % size(), before = (rank_ + size() - 1) % size();
    const std::vector<int> given(length, check::rank + round);
    std::vector<int> got(length, -1);
    const int code = MPI_Sendrecv(given.data(), length, MPI_INT, next, 1, got.data(), length, MPI_INT, before, 1, comm_,
                                  MPI_STATUS_IGNORE);
    if (!succeeded(code)) return false;
    return CHECK(got == std::vector<int>(length, members_[static_cast<std::size_t>(before)] + round));
  }

  bool spread(int round) {
    const int root = round % size();
    std::vector<int> data(length, rank_ == root ? round : -1);
    if (!succeeded(MPI_Bcast(data.data(), length, MPI_INT, root, comm_))) return false;
    return CHECK(data == std::vector<int>(length, round));
  }

  /// Member 0 receives from the others in any order.
  bool collect() {
    if (rank_ != 0) return succeeded(MPI_Send(&check::rank, 1, MPI_INT, 0, 2, comm_));
    std::vector<int> senders{check::rank};
    for (int i = 1; i < size(); ++i) {
      int sender = -1;
      if (!succeeded(MPI_Recv(&sender, 1, MPI_INT, MPI_ANY_SOURCE, 2, comm_, MPI_STATUS_IGNORE))) return false;
      senders.push_back(sender);
    }
    std::ranges::sort(senders);
    return CHECK(senders == members_);
  }

  /// Nonblocking operations, all of which are completed although some of them fail.
  bool overlap(int round) {
    const int mine = check::rank;
    int sum = 0;
    std::vector<int> all(members_.size(), -1);
    std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    bool begun = succeeded(MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm_, &requests[0]));
    begun = begun && succeeded(MPI_Iallgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, comm_, &requests[1]));
    bool done = begun;
    for (MPI_Request& request : requests) done = succeeded(MPI_Wait(&request, MPI_STATUS_IGNORE)) && done;
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    if (!done) return false;
    const int first = round % 2;  // so that both are compared at last, each by others
    return first == 0 ? CHECK(all == members_) : CHECK_EQ(sum, std::accumulate(members_.begin(), members_.end(), 0));
  }

  /// Members may disagree about whether the duplicate exists, so all of them agree on that first, also those that have
  /// failed before and make none.
  bool duplicate(bool makes_one) {
    MPI_Comm made = MPI_COMM_NULL;
    int all_have_it = makes_one && succeeded(MPI_Comm_dup(comm_, &made)) ? 1 : 0;
    if (all_have_it == 0) MPIX_Comm_revoke(comm_);
    const bool agreed = succeeded(MPIX_Comm_agree(comm_, &all_have_it));
    const bool used = agreed && all_have_it == 1 && succeeded(MPI_Barrier(made));
    if (made != MPI_COMM_NULL) {
      if (!used) MPIX_Comm_revoke(made);
      CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
    }
    return used;
  }

  /// Goes on with the members that live; false if they have excluded this process.
  bool repair() {
    MPI_Comm shrunk = MPI_COMM_NULL;
    const int code = MPIX_Comm_shrink(comm_, &shrunk);
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    ended_ = links_ && error_class == MPIX_ERR_PROC_FAILED;
    if (ended_) return false;
    if (!CHECK_EQ(code, MPI_SUCCESS)) std::exit(EXIT_FAILURE);
    free(comm_);
    comm_ = shrunk;
    learn_members();
    return true;
  }

  static void free(MPI_Comm comm) {
    if (comm != MPI_COMM_WORLD) CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  }

  void learn_members() {
    MPI_Group world = MPI_GROUP_NULL, group = MPI_GROUP_NULL;
    int count = 0;
    MPI_Comm_rank(comm_, &rank_);
    MPI_Comm_size(comm_, &count);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Comm_group(comm_, &group);
    std::vector<int> ranks(static_cast<std::size_t>(count));
    std::iota(ranks.begin(), ranks.end(), 0);
    members_.resize(ranks.size());
    CHECK_EQ(MPI_Group_translate_ranks(group, count, ranks.data(), world, members_.data()), MPI_SUCCESS);
    MPI_Group_free(&world);
    MPI_Group_free(&group);
    CHECK(std::ranges::is_sorted(members_) && members_[static_cast<std::size_t>(rank_)] == check::rank);
  }

  int size() const { return static_cast<int>(members_.size()); }

  static constexpr int length = 30'000;
  MPI_Comm comm_ = MPI_COMM_WORLD;
  int rank_ = -1;
  std::vector<int> members_;  ///< their ranks in MPI_COMM_WORLD
  bool ended_ = false;
  const bool links_;
};

/// Of all ranks the same ones, at the same moments, for the same seed.
void plan_deaths(double seconds, int deaths, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<int> mortals(static_cast<std::size_t>(check::size - 1));
  std::iota(mortals.begin(), mortals.end(), 1);
  std::ranges::shuffle(mortals, random);
  mortals.resize(std::min(mortals.size(), static_cast<std::size_t>(deaths)));
  for (const int victim : mortals) {
    const std::chrono::duration<double> moment(std::uniform_real_distribution<>(0, seconds)(random));
    if (victim != check::rank) continue;
    std::thread([moment] {
      std::this_thread::sleep_for(moment);
      survivors::die();
    }).detach();
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  const double seconds = std::atof(argv[1]);
  const double end = MPI_Wtime() + seconds;
  {
    Workers workers(argc == 3);
    if (argc > 3) plan_deaths(seconds, std::atoi(argv[2]), static_cast<unsigned>(std::atoi(argv[3])));
    for (int round = 0; !workers.ended(); ++round) workers.work(round, MPI_Wtime() > end);
  }
  return program.finish();
}
