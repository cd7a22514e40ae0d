// SPDX-License-Identifier: BSD-3-Clause
// Rank 1 crashes as its first argument says. The other ranks wait for it.
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>

namespace {

int* volatile nowhere = nullptr;

// Each function that crashes is found on the stack: the compiler may neither inline it nor make its call a jump.
[[gnu::noinline]] void store() {
  *nowhere = 1;
}

volatile int deepest = INT_MAX;

[[gnu::noinline]] int deeper(int depth) {  // NOLINT(misc-no-recursion)
  volatile char frame[1024] = {};
  frame[0] = static_cast<char>(depth);
  return depth == deepest ? 0 : deeper(depth + 1) + frame[0];
}

void store_in_operator(void*, void*, int*, MPI_Datatype*) {
  store();
}

void reduce() {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create(store_in_operator, 1, &op);
  int in = 1, out = 0;
  MPI_Reduce_local(&in, &out, 1, MPI_INT, op);
}

void handle(int) {
  constexpr char words[] = "the program's own handler\n";
  static_cast<void>(!write(STDERR_FILENO, words, sizeof words - 1));
  _exit(3);
}

}  // namespace

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "store";
  if (how == "own_handler") std::signal(SIGSEGV, handle);
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (how == "late_handler") std::signal(SIGSEGV, handle);
  const std::map<std::string, void (*)()> crashes = {
      {"store", store},
      {"own_handler", store},
      {"late_handler", store},
      {"overflow", [] { std::exit(deeper(0)); }},
      {"throw", [] { throw std::runtime_error("no convergence"); }},
      {"operator", reduce},
      {"bad_buffer", [] { MPI_Send(nowhere + 4, 1, MPI_INT, 0, 0, MPI_COMM_WORLD); }},
      {"sent", [] { raise(SIGBUS); }},
      {"sent_by_another",
       [] {
         if (fork() == 0) _exit(kill(getppid(), SIGABRT));
         for (;;) pause();
       }},
      {"late",
       [] {
         std::this_thread::sleep_for(std::chrono::milliseconds(300));  // the others wait by then
         store();
       }},
      {"thread", [] { std::thread(store).join(); }}};
  if (rank == 1) crashes.at(how)();
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
