// SPDX-License-Identifier: BSD-3-Clause
// What must work over an intercommunicator between two jobs, and over the communicators that are made of it.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>

#include "check.hpp"

namespace two_jobs {

inline int rank_in(MPI_Comm comm) {
  int rank = -1;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_size(comm, &size);
  return size;
}
inline int remote_size_of(MPI_Comm comm) {
  int size = -1;
  MPI_Comm_remote_size(comm, &size);
  return size;
}

inline std::vector<int> pattern(int length, int seed) {
  std::vector<int> data(static_cast<std::size_t>(length));
  std::iota(data.begin(), data.end(), seed * 1000);
  return data;
}

/// Every process exchanges messages with every process of the other job: short ones, long ones (of up to so many
/// numbers), and received from any.
inline void exchange_messages(MPI_Comm inter, int longest = 300000) {
  const int others = remote_size_of(inter), own = rank_in(inter);
  for (const int length : {1, 3000, longest}) {
    std::vector<std::vector<int>> heard(static_cast<std::size_t>(others),
                                        std::vector<int>(static_cast<std::size_t>(length)));
    const std::vector<int> said = pattern(length, own);
    std::vector<MPI_Request> requests;
    for (int other = 0; other < others; ++other) {
      MPI_Irecv(heard[static_cast<std::size_t>(other)].data(), length, MPI_INT, other, length, inter,
                &requests.emplace_back());
      MPI_Isend(said.data(), length, MPI_INT, other, length, inter, &requests.emplace_back());
    }
    CHECK_EQ(MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (int other = 0; other < others; ++other)
      CHECK(heard[static_cast<std::size_t>(other)] == pattern(length, other));
  }
  std::vector<MPI_Request> sends(static_cast<std::size_t>(others));
  for (int other = 0; other < others; ++other)
    MPI_Isend(&own, 1, MPI_INT, other, 0, inter, &sends[static_cast<std::size_t>(other)]);
  int sum = 0;
  for (int other = 0; other < others; ++other) {
    int value = -1;
    MPI_Status status;
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, inter, &status);
    CHECK_EQ(value, status.MPI_SOURCE);
    sum += value;
  }
  CHECK_EQ(sum, others * (others - 1) / 2);
  MPI_Waitall(others, sends.data(), MPI_STATUSES_IGNORE);
}

inline void use_collectives_between(MPI_Comm inter) {
  const int others = remote_size_of(inter), own = rank_in(inter);
  int sum = -1;
  CHECK_EQ(MPI_Allreduce(&own, &sum, 1, MPI_INT, MPI_SUM, inter), MPI_SUCCESS);
  CHECK_EQ(sum, others * (others - 1) / 2);
  std::vector<int> all(static_cast<std::size_t>(others), -1);
  CHECK_EQ(MPI_Allgather(&own, 1, MPI_INT, all.data(), 1, MPI_INT, inter), MPI_SUCCESS);
  for (int other = 0; other < others; ++other) CHECK_EQ(all[static_cast<std::size_t>(other)], other);
  CHECK_EQ(MPI_Barrier(inter), MPI_SUCCESS);
}

inline void use_collectives(MPI_Comm all) {
  const int rank = rank_in(all), size = size_of(all);
  for (const int length : {1, 100, 50000}) {
    std::vector<int> mine(static_cast<std::size_t>(length), rank), sum(static_cast<std::size_t>(length));
    CHECK_EQ(MPI_Allreduce(mine.data(), sum.data(), length, MPI_INT, MPI_SUM, all), MPI_SUCCESS);
    CHECK_EQ(std::ranges::count(sum, size * (size - 1) / 2), length);
    std::vector<int> data = rank == size - 1 ? pattern(length, 5) : std::vector<int>(static_cast<std::size_t>(length));
    CHECK_EQ(MPI_Bcast(data.data(), length, MPI_INT, size - 1, all), MPI_SUCCESS);
    CHECK(data == pattern(length, 5));
  }
  std::vector<int> to(static_cast<std::size_t>(size), rank), from(static_cast<std::size_t>(size));
  CHECK_EQ(MPI_Alltoall(to.data(), 1, MPI_INT, from.data(), 1, MPI_INT, all), MPI_SUCCESS);
  for (int other = 0; other < size; ++other) CHECK_EQ(from[static_cast<std::size_t>(other)], other);
  int before = 0;
  CHECK_EQ(MPI_Exscan(&rank, &before, 1, MPI_INT, MPI_SUM, all), MPI_SUCCESS);
  if (rank > 0) CHECK_EQ(before, rank * (rank - 1) / 2);
}

inline void make_communicators(MPI_Comm all) {
  const int rank = rank_in(all), size = size_of(all);
  MPI_Comm copy = MPI_COMM_NULL, half = MPI_COMM_NULL, ring = MPI_COMM_NULL, between = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_dup(all, &copy), MPI_SUCCESS);
  use_collectives(copy);
  CHECK_EQ(MPI_Comm_split(all, rank % 2, -rank, &half), MPI_SUCCESS);  // members of both jobs in each, mostly
  use_collectives(half);
  const int periodic = 1;
  CHECK_EQ(MPI_Cart_create(all, 1, &size, &periodic, 0, &ring), MPI_SUCCESS);
  int left = -1, right = -1, heard = -1;
  MPI_Cart_shift(ring, 0, 1, &left, &right);
  MPI_Sendrecv(&rank, 1, MPI_INT, right, 1, &heard, 1, MPI_INT, left, 1, ring, MPI_STATUS_IGNORE);
  CHECK_EQ(heard, left);
  if (size > 1) {
    CHECK_EQ(MPI_Intercomm_create(half, 0, all, rank % 2 == 0 ? size - 1 - size % 2 : size - 2 + size % 2, 3, &between),
             MPI_SUCCESS);
    use_collectives_between(between);
    MPI_Comm_free(&between);
  }
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(all, &group);
  MPI_Comm from_group = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_create_from_group(group, "two jobs", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &from_group),
           MPI_SUCCESS);
  use_collectives(from_group);
  MPI_Group_free(&group);
  for (MPI_Comm* each : {&copy, &half, &ring, &from_group}) MPI_Comm_free(each);
}

inline void use_window(MPI_Comm all) {
  const int rank = rank_in(all), size = size_of(all);
  int* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  CHECK_EQ(MPI_Win_allocate(static_cast<MPI_Aint>(sizeof(int)) * (size + 1), sizeof(int), MPI_INFO_NULL, all, &memory,
                            &window),
           MPI_SUCCESS);
  std::fill(memory, memory + size + 1, 0);
  MPI_Win_fence(0, window);
  for (int target = 0; target < size; ++target) MPI_Put(&rank, 1, MPI_INT, target, rank, 1, MPI_INT, window);
  MPI_Win_fence(0, window);
  for (int other = 0; other < size; ++other) CHECK_EQ(memory[other], other);
  const int one = 1;
  for (int target = 0; target < size; ++target) {
    MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
    MPI_Accumulate(&one, 1, MPI_INT, target, size, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_unlock(target, window);
  }
  MPI_Barrier(all);
  MPI_Win_lock(MPI_LOCK_SHARED, rank, 0, window);
  CHECK_EQ(memory[size], size);
  MPI_Win_unlock(rank, window);
  MPI_Win_free(&window);
}

/// `name`: of a file, equal at all processes.
inline void use_file(MPI_Comm all, const std::string& name) {
  const int rank = rank_in(all), size = size_of(all);
  MPI_File file = MPI_FILE_NULL;
  CHECK_EQ(MPI_File_open(all, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file), MPI_SUCCESS);
  CHECK_EQ(
      MPI_File_write_at_all(file, static_cast<MPI_Offset>(sizeof(int)) * rank, &rank, 1, MPI_INT, MPI_STATUS_IGNORE),
      MPI_SUCCESS);
  MPI_File_sync(file);
  MPI_Barrier(all);
  std::vector<int> whole(static_cast<std::size_t>(size), -1);
  CHECK_EQ(MPI_File_read_at_all(file, 0, whole.data(), size, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (int other = 0; other < size; ++other) CHECK_EQ(whole[static_cast<std::size_t>(other)], other);
  MPI_File_close(&file);
}

/// Uses everything between the two jobs; all processes of both call this. `high`: whether this job's processes come
/// last in a merged communicator. `file`: the name of a file that may be made; empty: none.
inline void use_all(MPI_Comm inter, bool high, const std::string& file) {
  exchange_messages(inter);
  use_collectives_between(inter);
  MPI_Comm all = MPI_COMM_NULL;
  CHECK_EQ(MPI_Intercomm_merge(inter, high ? 1 : 0, &all), MPI_SUCCESS);
  CHECK_EQ(size_of(all), size_of(inter) + remote_size_of(inter));
  CHECK_EQ(rank_in(all) >= (high ? remote_size_of(inter) : 0), true);
  use_collectives(all);
  make_communicators(all);
  use_window(all);
  if (!file.empty()) use_file(all, file);
  CHECK_EQ(MPI_Comm_disconnect(&all), MPI_SUCCESS);
}

}  // namespace two_jobs
