// SPDX-License-Identifier: BSD-3-Clause
// Sessions without MPI_Init, beside it and after MPI_Finalize: process sets, groups and communicators from them,
// windows and files, thread levels; and that a thousand sessions leave nothing behind.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

MPI_Session start(const char* level = nullptr) {
  MPI_Info info = MPI_INFO_NULL;
  if (level != nullptr) {
    MPI_Info_create(&info);
    MPI_Info_set(info, "thread_level", level);
  }
  MPI_Session session = MPI_SESSION_NULL;
  CHECK_EQ(MPI_Session_init(info, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
  if (info != MPI_INFO_NULL) MPI_Info_free(&info);
  return session;
}

void end(MPI_Session session) {
  CHECK_EQ(MPI_Session_finalize(&session), MPI_SUCCESS);
  CHECK(session == MPI_SESSION_NULL);
}

std::string value_of(MPI_Info info, const char* key) {
  std::array<char, 64> text{};
  int length = 64, flag = 0;
  MPI_Info_get_string(info, key, &length, text.data(), &flag);
  return flag != 0 ? text.data() : "(none)";
}

void thread_levels() {
  for (const char* const level : {"MPI_THREAD_SINGLE", "MPI_THREAD_MULTIPLE"}) {
    const MPI_Session session = start(level);
    MPI_Info info;
    CHECK_EQ(MPI_Session_get_info(session, &info), MPI_SUCCESS);
    CHECK_EQ(value_of(info, "thread_level"), level);
    CHECK_EQ(value_of(info, "mpi_memory_alloc_kinds"), "mpi,system");
    MPI_Info_free(&info);
    end(session);
  }
}

void process_sets(MPI_Session session) {
  int count = -1;
  CHECK_EQ(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &count), MPI_SUCCESS);
  CHECK(count >= 2);
  bool world = false, self = false;
  for (int i = 0; i < count; ++i) {
    std::array<char, MPI_MAX_PSET_NAME_LEN> name{};
    int needed = 0, length = MPI_MAX_PSET_NAME_LEN;
    CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &needed, nullptr), MPI_SUCCESS);
    CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name.data()), MPI_SUCCESS);
    CHECK_EQ(length, needed);
    CHECK_EQ(std::strlen(name.data()) + 1, static_cast<std::size_t>(length));
    world = world || std::string(name.data()) == "mpi://WORLD";
    self = self || std::string(name.data()) == "mpi://SELF";
  }
  CHECK(world && self);
  MPI_Info info;
  CHECK_EQ(MPI_Session_get_pset_info(session, "mpi://SELF", &info), MPI_SUCCESS);
  CHECK_EQ(value_of(info, "mpi_size"), "1");
  MPI_Info_free(&info);
  MPI_Group group;
  int length = 0;
  CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://NOBODY", &group), MPI_ERR_ARG);
  CHECK_EQ(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, count, &length, nullptr), MPI_ERR_ARG);
}

// The world of a session; what it computes must not meet what another session's computes.
MPI_Comm world_of(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://WORLD", &group), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
  return comm;
}

int heard = 0;

void hear(MPI_Comm* comm, int* code, ...) {
  ++heard;
  CHECK(*comm == MPI_COMM_NULL && *code != MPI_SUCCESS);
}

/// The error handler for the new communicator hears of every wrong argument of the call that makes it.
void wrong_arguments(MPI_Session session) {
  MPI_Errhandler handler;
  MPI_Group group;
  MPI_Comm comm = MPI_COMM_NULL;
  CHECK_EQ(MPI_Comm_create_errhandler(hear, &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Group_from_session_pset(session, "mpi://SELF", &group), MPI_SUCCESS);
  heard = 0;
  CHECK_EQ(MPI_Comm_create_from_group(group, "wrong", MPI_INFO_NULL, handler, nullptr), MPI_ERR_ARG);
  CHECK_EQ(MPI_Comm_create_from_group(MPI_GROUP_NULL, "wrong", MPI_INFO_NULL, handler, &comm), MPI_ERR_GROUP);
  CHECK_EQ(MPI_Intercomm_create_from_groups(group, 7, group, 0, "wrong", MPI_INFO_NULL, handler, &comm), MPI_ERR_RANK);
  CHECK_EQ(heard, 3);
  CHECK_EQ(MPI_Group_free(&group), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
}

void communicators() {
  const MPI_Session first = start(), second = start();
  MPI_Comm one = world_of(first, "one"), two = world_of(second, "two");
  MPI_Comm_rank(one, &check::rank);
  MPI_Comm_size(one, &check::size);
  int sum = -1, most = -1;
  CHECK_EQ(MPI_Allreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, one), MPI_SUCCESS);
  CHECK_EQ(MPI_Allreduce(&check::rank, &most, 1, MPI_INT, MPI_MAX, two), MPI_SUCCESS);
  CHECK_EQ(sum, check::size * (check::size - 1) / 2);
  CHECK_EQ(most, check::size - 1);
  process_sets(first);
  wrong_arguments(first);
  CHECK_EQ(MPI_Comm_free(&one), MPI_SUCCESS);
  end(first);
  CHECK_EQ(MPI_Barrier(two), MPI_SUCCESS);
  CHECK_EQ(MPI_Comm_free(&two), MPI_SUCCESS);
  end(second);
}

// AddressSanitizer's allocator keeps a page now and then.
#ifdef __SANITIZE_ADDRESS__
constexpr long left_at_most_kib = 128;
#else
constexpr long left_at_most_kib = 64;
#endif

// Memory of this process's own; the rings that it shares with others are touched little by little.
long resident_kib() {
  std::ifstream file("/proc/self/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("RssAnon:", 0) == 0) return std::stol(line.substr(8));
  }
  return -1;
}

void many() {
  const auto cycle = [] {
    const MPI_Session session = start();
    MPI_Comm comm = world_of(session, "cycle");
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
    CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
    end(session);
  };
  for (int i = 0; i < 50; ++i) cycle();
  // A leak shows each time; what the first long wait of a process allocates, once.
  long growth = LONG_MAX;
  for (int round = 0; round < 2; ++round) {
    const long before = resident_kib();
    for (int i = 0; i < 1000; ++i) cycle();
    CHECK(before > 0);
    growth = std::min(growth, resident_kib() - before);
  }
  if (!CHECK(growth <= left_at_most_kib)) std::fprintf(stderr, "1000 sessions have left %ld KiB\n", growth);
}

/// What needs the target while it waits in a collective, and what all ranks do together.
void window_and_file(MPI_Comm comm) {
  int* mine = nullptr;
  MPI_Win window;
  CHECK_EQ(MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &mine, &window), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_fence(0, window), MPI_SUCCESS);
  CHECK_EQ(MPI_Put(&check::rank, 1, MPI_INT, (check::rank + 1) % check::size, 0, 1, MPI_INT, window), MPI_SUCCESS);
  CHECK_EQ(MPI_Win_fence(0, window), MPI_SUCCESS);
  CHECK_EQ(*mine, (check::rank + check::size - 1) % check::size);
  CHECK_EQ(MPI_Win_free(&window), MPI_SUCCESS);
  std::array<char, 64> name{"bowline-test-late-session-XXXXXX"};
  if (check::rank == 0) close(mkstemp(name.data()));
  CHECK_EQ(MPI_Bcast(name.data(), 64, MPI_CHAR, 0, comm), MPI_SUCCESS);
  MPI_File file;
  int read = -1;
  const int mode = MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  CHECK_EQ(MPI_File_open(comm, name.data(), mode, MPI_INFO_NULL, &file), MPI_SUCCESS);
  const MPI_Offset at = check::rank * static_cast<MPI_Offset>(sizeof(int));
  CHECK_EQ(MPI_File_write_at_all(file, at, &check::rank, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(MPI_File_read_at_all(file, at, &read, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(read, check::rank);
  CHECK_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

/// Long and synchronous messages around the ring, the first ones of their kind between some ranks.
void ring(MPI_Comm comm) {
  std::vector<int> out(100'000, check::rank), in(out.size(), -1);
  const int right = (check::rank + 1) % check::size, left = (check::rank + check::size - 1) % check::size;
  MPI_Request request;
  for (const int count : {1, static_cast<int>(out.size())}) {
    CHECK_EQ(MPI_Issend(out.data(), count, MPI_INT, right, 1, comm, &request), MPI_SUCCESS);
    CHECK_EQ(MPI_Recv(in.data(), count, MPI_INT, left, 1, comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(in[static_cast<std::size_t>(count) - 1], left);
  }
}

/// After MPI_Finalize. The ranks come at different times: one that waits looks whether the others have left. `kept`:
/// has begun before, at some ranks.
void late(MPI_Session kept) {
  const MPI_Session session = kept != MPI_SESSION_NULL ? kept : start();
  MPI_Comm comm = world_of(session, "late");
  ring(comm);
  window_and_file(comm);
  CHECK_EQ(MPI_Comm_free(&comm), MPI_SUCCESS);
  end(session);
  for (int round = 0; round < 3; ++round) {
    if (round < 2 && check::rank % 2 == round) usleep(700'000);
    communicators();
  }
}

void ignore(MPI_Session*, int*, ...) {}

/// What may be called at any time.
void between_sessions() {
  int flag = -1, length = 0;
  char text[MPI_MAX_ERROR_STRING];
  CHECK_EQ(MPI_Initialized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EQ(MPI_Finalized(&flag), MPI_SUCCESS);
  CHECK_EQ(flag, 1);
  CHECK_EQ(MPI_Error_string(MPI_ERR_RANK, text, &length), MPI_SUCCESS);
  MPI_Info info;
  CHECK_EQ(MPI_Info_create(&info), MPI_SUCCESS);
  CHECK_EQ(MPI_Info_free(&info), MPI_SUCCESS);
  MPI_Errhandler handler;
  CHECK_EQ(MPI_Session_create_errhandler(ignore, &handler), MPI_SUCCESS);
  CHECK_EQ(MPI_Errhandler_free(&handler), MPI_SUCCESS);
}

}  // namespace

int main(int argc, char** argv) {
  thread_levels();
  communicators();
  many();
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  communicators();
  const MPI_Session kept = check::rank % 2 == 0 ? start() : MPI_SESSION_NULL;
  const int result = program.finish();
  const long failed_before = check::failed;
  between_sessions();
  late(kept);
  between_sessions();
  return check::failed == failed_before ? result : EXIT_FAILURE;
}
