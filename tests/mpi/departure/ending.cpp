// SPDX-License-Identifier: BSD-3-Clause
// Ends in the way that the argument says, without a call of MPI_Finalize:
//
//   sessions   after a session has ended
//   exit       by exit(7) while MPI runs
//   operator   by exit(7) in the user's operator, which the library calls
//   fork       after a session that a forked process has seen, which calls exit(); then the ranks talk once more
//   messages   after a session, as soon as a message of rank 0 is under way, which the others do not receive; rank 0
//   has
//              not received theirs yet. Whether they are gone by then cannot be seen from outside: so it lets time
//              pass. Where that is too short this shows nothing, and fails nothing.
#include <mpi.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace {

/// Returns once every other thread of the process has slept for a while: a thread of the library waits for work then.
void wait_until_quiet() {
  using namespace std::chrono_literals;
  for (int quiet = 0; quiet < 20; std::this_thread::sleep_for(1ms)) {
    ++quiet;
    for (const auto& task : std::filesystem::directory_iterator("/proc/self/task")) {
      if (task.path().filename() == std::to_string(gettid())) continue;
      std::string line;
      std::getline(std::ifstream(task.path() / "stat"), line);
      if (line.find(") S ") == std::string::npos) quiet = 0;
    }
  }
}

MPI_Session start() {
  MPI_Session session;
  if (MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session) != MPI_SUCCESS) std::exit(1);
  return session;
}

MPI_Comm world_of(MPI_Session session, const char* tag) {
  MPI_Group group;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm comm;
  MPI_Comm_create_from_group(group, tag, MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  MPI_Group_free(&group);
  return comm;
}

/// A number that is right only if all ranks have given theirs.
bool talk(MPI_Session session, const char* tag) {
  MPI_Comm comm = world_of(session, tag);
  int size, one = 1, sum = 0;
  MPI_Comm_size(comm, &size);
  MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
  MPI_Comm_free(&comm);
  return sum == size;
}

int sessions() {
  MPI_Session session = start();
  const bool right = talk(session, "once");
  MPI_Session_finalize(&session);
  wait_until_quiet();
  return right ? 0 : 1;
}

/// A process that was forked ends as any program does: the connection to the launcher stays its parent's.
int forked() {
  MPI_Session session = start();
  bool right = talk(session, "before");
  MPI_Session_finalize(&session);
  wait_until_quiet();
  const pid_t child = fork();
  if (child == 0) std::exit(5);
  int status = 0;
  right = waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 5 && right;
  session = start();
  right = talk(session, "after") && right;
  MPI_Session_finalize(&session);
  return right ? 0 : 1;
}

/// Closes a connection with data that have not been read: the kernel then drops what the other side has not read.
int messages() {
  constexpr int count = 200, ints = 1000;
  MPI_Session session = start();
  MPI_Comm comm = world_of(session, "messages");
  int rank, size, wrong = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  std::vector<int> data(ints, rank);
  const auto file = [](int peer) {
    return "/tmp/bowline-ending-" + std::to_string(getppid()) + "." + std::to_string(peer);
  };
  MPI_Barrier(comm);
  if (rank == 0) {
    std::vector<MPI_Request> unwanted(static_cast<std::size_t>(size - 1));
    for (int peer = 1; peer < size; ++peer)
      MPI_Issend(nullptr, 0, MPI_INT, peer, 2, comm, &unwanted[static_cast<std::size_t>(peer) - 1]);
    for (MPI_Request& request : unwanted) MPI_Cancel(&request);
    for (int peer = 1; peer < size; ++peer) std::ofstream(file(peer)).flush();
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    for (int left = count * (size - 1); left > 0; --left) {
      MPI_Status status;
      MPI_Recv(data.data(), ints, MPI_INT, MPI_ANY_SOURCE, 1, comm, &status);
      wrong += data.back() == status.MPI_SOURCE ? 0 : 1;
    }
    MPI_Waitall(size - 1, unwanted.data(), MPI_STATUSES_IGNORE);
  } else {
    for (int left = count; left > 0; --left) MPI_Send(data.data(), ints, MPI_INT, 0, 1, comm);
  }
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
  while (rank != 0 && !std::filesystem::remove(file(rank))) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  return wrong;
}

void leave(void*, void*, int*, MPI_Datatype*) {
  std::exit(7);
}

void exit_in_operator() {
  MPI_Op op;
  MPI_Op_create(leave, 1, &op);
  int one = 1, sum = 0;
  MPI_Request request;
  MPI_Iallreduce(&one, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &request);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view way = argc > 1 ? argv[1] : "";
  if (way == "sessions") return sessions();
  if (way == "fork") return forked();
  if (way == "messages") return messages();
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  if (way == "operator") exit_in_operator();
  wait_until_quiet();
  std::exit(7);
}
