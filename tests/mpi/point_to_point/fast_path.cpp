// SPDX-License-Identifier: BSD-3-Clause
// Small messages ask for no memory, take no lock and call no system: neither the call that sends nor the one that
// receives what has arrived. Two ranks play ping-pong; that a message has been sent is told by a signal, so that nobody
// waits inside MPI.
#include <unistd.h>

#include <cstdio>
#include <span>
#include <vector>

#include "check.hpp"
#include "counted.hpp"

namespace {

constexpr int rounds = 100;
constexpr int warm_up = 3;  // first contact, pools, lazy binding

struct Player {
  int peer;
  pid_t peer_process;
  sigset_t signals;
  bool can_catch;

  void tell() const { CHECK_EQ(kill(peer_process, SIGUSR1), 0); }
  void wait_to_be_told() const {
    int which = 0;
    CHECK_EQ(sigwait(&signals, &which), 0);
  }
};

void expect_nothing(const char* call, int round) {
  if (round < warm_up) return;
  const long allocations = counted::allocations;
  const long locks = counted::locks;
  const long calls = counted::system_calls;
  bool none = CHECK_EQ(allocations, 0);  // each is looked at
  none = CHECK_EQ(locks, 0) && none;
  none = CHECK_EQ(calls, 0) && none;
  if (!none) std::fprintf(stderr, "in %s, round %d; system call %d\n", call, round, int{counted::last_system_call});
}

// Each step is a call, or two, that is counted alone.
template <class Step>
void step(const Player& player, const char* name, int round, Step run) {
  counted::system_calls = 0;
  {
    const counted::Stretch stretch(player.can_catch && round >= warm_up);
    run();
  }
  expect_nothing(name, round);
}

void play(const Player& player, int bytes) {
  std::vector<char> out(static_cast<std::size_t>(bytes), 'a');
  std::vector<char> in(static_cast<std::size_t>(bytes)), other_in(in), third_in(in);
  MPI_Request again[2];
  MPI_Send_init(out.data(), bytes, MPI_BYTE, player.peer, 3, MPI_COMM_WORLD, &again[0]);
  MPI_Recv_init(third_in.data(), bytes, MPI_BYTE, player.peer, 3, MPI_COMM_WORLD, &again[1]);
  MPI_Request request;
  const auto send = [&](int round) {
    step(player, "MPI_Send", round, [&] { MPI_Send(out.data(), bytes, MPI_BYTE, player.peer, 1, MPI_COMM_WORLD); });
    step(player, "MPI_Isend and MPI_Wait", round, [&] {
      MPI_Isend(out.data(), bytes, MPI_BYTE, player.peer, 2, MPI_COMM_WORLD, &request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
    });
    step(player, "MPI_Start of a send and MPI_Wait", round, [&] {
      MPI_Start(&again[0]);
      MPI_Wait(&again[0], MPI_STATUS_IGNORE);
    });
    player.tell();
  };
  MPI_Request posted[2];
  const auto post = [&] {
    MPI_Irecv(other_in.data(), bytes, MPI_BYTE, player.peer, 2, MPI_COMM_WORLD, &posted[0]);
    MPI_Start(&again[1]);
    posted[1] = again[1];
  };
  const auto receive = [&](int round) {
    player.wait_to_be_told();
    step(player, "MPI_Recv", round,
         [&] { MPI_Recv(in.data(), bytes, MPI_BYTE, player.peer, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE); });
    step(player, "MPI_Waitall of receives", round, [&] { MPI_Waitall(2, posted, MPI_STATUSES_IGNORE); });
    for (const auto& received : {std::span(in), std::span(other_in), std::span(third_in)})
      CHECK_EQ(received.back(), 'a');
  };
  for (int round = 0; round < rounds; ++round) {
    step(player, "MPI_Irecv and MPI_Start of a receive", round, post);
    if (check::rank == 0) send(round);
    receive(round);
    if (check::rank == 1) send(round);
  }
  MPI_Request_free(&again[0]);
  MPI_Request_free(&again[1]);
}

}  // namespace

int main(int argc, char** argv) {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGUSR1);
  sigprocmask(SIG_BLOCK, &signals, nullptr);
  check::Program program(argc, argv);
  const int peer = 1 - check::rank;
  int mine = getpid();
  int other = 0;
  MPI_Sendrecv(&mine, 1, MPI_INT, peer, 0, &other, 1, MPI_INT, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const Player player{peer, other, signals, counted::catch_system_calls()};
  if (!player.can_catch) std::printf("system calls are not counted: this kernel lacks PR_SET_SYSCALL_USER_DISPATCH\n");
  for (const int bytes : {1, 8, 40, 64, 1024}) play(player, bytes);

  // The counters count: a stretch with one of each is noticed.
  {
    const counted::Stretch stretch(player.can_catch);
    void* volatile memory = ::operator new(1);
    ::operator delete(memory);
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex);
    getppid();
  }
  CHECK(counted::allocations > 0);
  CHECK(counted::locks > 0);
  CHECK(counted::system_calls > 0 || !player.can_catch);
  return program.finish();
}
