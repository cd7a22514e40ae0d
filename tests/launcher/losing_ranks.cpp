// SPDX-License-Identifier: BSD-3-Clause
// losing_ranks END [STATUS [WHAT]]: rank 1 ends by END, the others wait for it, get an error, and go on.
//
//   END     kill; crash; exit (with STATUS, without MPI_Finalize); late (with STATUS, after MPI_Finalize); abort (by a
//           kill, whereupon rank 0 calls MPI_Abort with STATUS); none; start (all ranks call MPI_Finalize at once)
//   WHAT    spawn: rank 0 starts one more process, which says where it runs, and what it has inherited
//           status N: rank 0 ends with the status N after MPI_Finalize
//           stay: the others send each other messages until they are ended
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int victim = 1;
int rank = -1, size = 0;

std::string cores() {
  cpu_set_t set;
  sched_getaffinity(0, sizeof set, &set);
  std::string text;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) text += (text.empty() ? "" : ",") + std::to_string(cpu);
  }
  return text;
}

void say(const std::string& text) {
  std::printf("%s\n", text.c_str());
  std::fflush(stdout);
}

[[noreturn]] void run_child() {
  const char* const variable = std::getenv("BOWLINE_KEEP_GOING");
  say(std::string("child: cores ") + cores() + ", BOWLINE_KEEP_GOING " + (variable == nullptr ? "not set" : variable));
  MPI_Finalize();
  std::exit(0);
}

void end_victim(const std::string& how, int status) {
  say("victim: cores " + cores());
  if (how == "kill" || how == "abort") raise(SIGKILL);
  if (how == "crash") raise(SIGSEGV);
  if (how == "exit") _exit(status);
}

void spawn(const char* program) {
  MPI_Comm children = MPI_COMM_NULL;
  char child[] = "child";
  char* arguments[] = {child, nullptr};
  MPI_Comm_spawn(program, arguments, 1, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children, MPI_ERRCODES_IGNORE);
  MPI_Comm_disconnect(&children);
}

/// The living ranks pass a token on.
void pass_on() {
  const int next = rank + 1 == victim ? victim + 1 : (rank + 1) % size;
  const int previous = rank - 1 == victim ? victim - 1 : (rank + size - 1) % size;
  int token = rank, received = -1;
  MPI_Sendrecv(&token, 1, MPI_INT, next, 1, &received, 1, MPI_INT, previous, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  if (received != previous) say("wrong token");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const std::string end = words.at(0), what = words.size() > 2 ? words[2] : "";
  const int status = words.size() > 1 ? std::stoi(words[1]) : 0;
  MPI_Init(&argc, &argv);
  if (words.at(0) == "start") return MPI_Finalize();
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  if (end == "child") run_child();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == victim) end_victim(end, status);
  if (rank != victim && end != "none" && end != "late") {
    int data = 0;
    const int error = MPI_Recv(&data, 1, MPI_INT, victim, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    say("rank " + std::to_string(rank) + (error == MPI_SUCCESS ? ": no error" : ": error"));
    if (end == "abort" && rank == 0) MPI_Abort(MPI_COMM_WORLD, status);
  }
  do {
    if (size > 2 && rank != victim) pass_on();
  } while (what == "stay");
  if (what == "spawn" && rank == 0) spawn(argv[0]);
  MPI_Finalize();
  if (rank == victim) return status;
  return what == "status" && rank == 0 ? std::stoi(words.at(3)) : 0;
}
