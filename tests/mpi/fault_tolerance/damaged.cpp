// SPDX-License-Identifier: BSD-3-Clause
// Everything that has been made from a communicator before a member fails, and everything that is made from it later:
// each call ends at each living member, with success or with the error that says why; nothing hangs, and all of it can
// be freed. For four ranks, of which the last one dies.
#include <functional>
#include <string>

#include "survivors.hpp"

namespace {

using Call = std::function<int()>;

constexpr int victim = 3;

/// Ends, whatever its result.
void end(const char* what, const Call& call) {
  const int error_class = survivors::class_of(call());
  const bool expected =
      error_class == MPI_SUCCESS || error_class == MPIX_ERR_PROC_FAILED || error_class == MPIX_ERR_REVOKED;
  if (!CHECK(expected)) std::fprintf(stderr, "%s: class %d\n", what, error_class);
}

void fail(const char* what, const Call& call) {
  if (!CHECK_EQ(survivors::class_of(call()), MPIX_ERR_PROC_FAILED)) std::fprintf(stderr, "%s\n", what);
}

/// All members call what makes a communicator; some may get one and others not, so they agree and free it.
void make(const char* what, const std::function<int(MPI_Comm*)>& call) {
  MPI_Comm made = MPI_COMM_NULL;
  end(what, [&] { return call(&made); });
  if (made == MPI_COMM_NULL) return;
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  MPIX_Comm_revoke(made);
  CHECK_EQ(MPI_Comm_free(&made), MPI_SUCCESS);
}

void make_communicators(MPI_Comm comm) {
  const int dims = 4, periodic = 0;
  MPI_Group group = MPI_GROUP_NULL;
  MPI_Comm_group(comm, &group);
  make("dup", [&](MPI_Comm* made) { return MPI_Comm_dup(comm, made); });
  make("split", [&](MPI_Comm* made) { return MPI_Comm_split(comm, check::rank % 2, 0, made); });
  make("create", [&](MPI_Comm* made) { return MPI_Comm_create(comm, group, made); });
  make("create_group", [&](MPI_Comm* made) { return MPI_Comm_create_group(comm, group, 4, made); });
  make("cart", [&](MPI_Comm* made) { return MPI_Cart_create(comm, 1, &dims, &periodic, 0, made); });
  make("idup", [&](MPI_Comm* made) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Comm_idup(comm, made, &request);
    return code != MPI_SUCCESS ? code : MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
  MPI_Group_free(&group);
}

/// A window over memory of this process, or over memory that the members of a node share, which outlives them.
MPI_Win make_window(MPI_Comm comm, bool shared) {
  static int own = 0;
  int* memory = &own;
  MPI_Win made = MPI_WIN_NULL;
  const int code = shared ? MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &memory, &made)
                          : MPI_Win_create(memory, sizeof(int), sizeof(int), MPI_INFO_NULL, comm, &made);
  CHECK_EQ(code, MPI_SUCCESS);
  MPI_Win_set_errhandler(made, MPI_ERRORS_RETURN);
  *memory = 0;
  return made;
}

int put_into(int target, MPI_Win window) {
  const int one = 1;
  const int locked = MPI_Win_lock(MPI_LOCK_SHARED, target, 0, window);
  if (locked != MPI_SUCCESS) return locked;
  const int put = MPI_Accumulate(&one, 1, MPI_INT, target, 0, 1, MPI_INT, MPI_SUM, window);
  const int unlocked = MPI_Win_unlock(target, window);
  return put != MPI_SUCCESS ? put : unlocked;
}

void use_windows(MPI_Win created, MPI_Win allocated) {
  fail("put", [&] { return put_into(victim, created); });
  end("put", [&] { return put_into(victim, allocated); });
  for (MPI_Win window : {created, allocated}) {
    CHECK_EQ(put_into(0, window), MPI_SUCCESS);
    for (int i = 0; i < 2; ++i) end("fence", [&] { return MPI_Win_fence(0, window); });
    end("fence", [&] { return MPI_Win_fence(MPI_MODE_NOSUCCEED, window); });
    CHECK_EQ(MPI_Win_free(&window), MPI_SUCCESS);
    CHECK(window == MPI_WIN_NULL);
  }
}

void use_file(MPI_File file) {
  const int mine = check::rank;
  const MPI_Offset place = check::rank * static_cast<MPI_Offset>(sizeof mine);
  CHECK_EQ(MPI_File_write_at(file, place, &mine, 1, MPI_INT, MPI_STATUS_IGNORE), MPI_SUCCESS);
  end("write_at_all", [&] { return MPI_File_write_at_all(file, place, &mine, 1, MPI_INT, MPI_STATUS_IGNORE); });
  end("set_size", [&] { return MPI_File_set_size(file, 64); });
  end("close", [&] { return MPI_File_close(&file); });
  CHECK(file == MPI_FILE_NULL);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm comm = survivors::duplicate();
  const MPI_Win created = make_window(comm, false), allocated = make_window(comm, true);
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE;
  CHECK_EQ(MPI_File_open(comm, "damaged.data", mode, MPI_INFO_NULL, &file), MPI_SUCCESS);
  MPI_Barrier(comm);
  if (check::rank == victim) survivors::die();
  make_communicators(comm);
  use_windows(created, allocated);
  use_file(file);
  end("free", [&] { return MPI_Comm_free(&comm); });
  return program.finish();
}
