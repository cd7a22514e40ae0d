// SPDX-License-Identifier: BSD-3-Clause
// dead_rank WHAT [BYTES]: every rank but rank 1 does WHAT with rank 1 until the end of days, which comes when somebody
// kills rank 1.
//
// Every rank writes a file ready.RANK in the working directory, with its process id in it, just before it begins. What
// is done over and over adds a byte to the file done.RANK every time.
#include <fcntl.h>
#include <mpi-ext.h>
#include <mpi.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

constexpr int victim = 1;
const MPI_Comm world = MPI_COMM_WORLD;

int rank = -1, size = 0;
std::vector<char> out, in;

void begin() {
  const std::string name = "ready." + std::to_string(rank);
  std::ofstream(name + ".new") << getpid() << "\n";
  std::rename((name + ".new").c_str(), name.c_str());  // there with its contents or not at all
}

void did_one() {
  static const int file = open(("done." + std::to_string(rank)).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (write(file, "x", 1) != 1) std::abort();
}

[[noreturn]] void stay_out_of_mpi() {
  begin();
  while (true) pause();
}

/// Without a look at MPI, until there is a file `dead`.
void await_death() {
  while (!std::ifstream("dead")) continue;
}

/// `late`: begins when the victim is dead, and nobody has ever talked to it.
void receive(bool late) {
  begin();
  if (late) await_death();
  MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_CHAR, victim, 0, world, MPI_STATUS_IGNORE);
}

void receive_anything() {
  begin();
  MPI_Recv(in.data(), static_cast<int>(in.size()), MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, world, MPI_STATUS_IGNORE);
}

void send() {
  begin();
  while (true) {
    MPI_Send(out.data(), static_cast<int>(out.size()), MPI_CHAR, victim, 0, world);
    did_one();
  }
}

/// Waits for the victim's death in its own way, and aborts as soon as it can be seen.
void notice() {
  begin();
  pid_t pid = 0;
  while (!(std::ifstream("ready." + std::to_string(victim)) >> pid)) continue;
  char there = 0;
  const iovec local{&there, 1}, remote{&out[0], 1};
  do {
    errno = 0;
    process_vm_readv(pid, &local, 1, &remote, 1, 0);
  } while (errno != ESRCH);
  MPI_Abort(world, 7);
}

void barrier() {
  begin();
  MPI_Barrier(world);
}

/// All have talked to each other. The others compute until the victim is dead; then they wait for everybody.
void compute() {
  MPI_Barrier(world);
  if (rank == victim) stay_out_of_mpi();
  begin();
  await_death();
  MPI_Barrier(world);
}

void finalize() {
  MPI_Barrier(world);
  if (rank == victim) stay_out_of_mpi();
  begin();
  MPI_Finalize();
}

/// Under MPI_ERRORS_RETURN receives from the victim, which fails, then exchanges messages with all others.
/// `late` as above.
void go_on(bool late) {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  begin();
  if (late) await_death();
  const int error = MPI_Recv(in.data(), 1, MPI_CHAR, victim, 0, world, MPI_STATUS_IGNORE);
  char text[MPI_MAX_ERROR_STRING];
  int length = 0;
  MPI_Error_string(error, text, &length);
  std::printf("rank %d: %s\n", rank, error == MPIX_ERR_PROC_FAILED ? "the victim is lost" : text);
  for (int peer = 0; peer < size; ++peer) {
    if (peer == victim || peer == rank) continue;
    char got = 0;
    MPI_Sendrecv(out.data(), 1, MPI_CHAR, peer, 1, &got, 1, MPI_CHAR, peer, 1, world, MPI_STATUS_IGNORE);
    std::printf("rank %d has heard %c from %d\n", rank, got, peer);
  }
  std::fflush(stdout);
  MPI_Finalize();
}

/// Under MPI_ERRORS_RETURN all exchange messages, which say whether their sender has lost the victim, and go on without
/// it until all of them have. The victim loses them all, if it lives.
void part() {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  std::vector<int> peers;
  for (int peer = 0; peer < size; ++peer) {
    if (peer != rank) peers.push_back(peer);
  }
  begin();
  bool all_know = false;
  for (char mine = 'm'; !all_know;) {
    std::vector<char> theirs(peers.size());
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      MPI_Irecv(&theirs[i], 1, MPI_CHAR, peers[i], 0, world, &requests.emplace_back());
      MPI_Isend(&mine, 1, MPI_CHAR, peers[i], 0, world, &requests.emplace_back());
    }
    std::vector<MPI_Status> statuses(requests.size());
    const int error = MPI_Waitall(static_cast<int>(requests.size()), requests.data(), statuses.data());
    if (error != MPI_SUCCESS && rank == victim) stay_out_of_mpi();
    all_know = mine == 'L' && std::set(theirs.begin(), theirs.end()) == std::set{'L'};
    if (error == MPI_SUCCESS) continue;
    for (std::size_t i = 0; i < statuses.size(); ++i) {
      if (statuses[i].MPI_ERROR == MPI_SUCCESS) continue;
      const bool expected = peers[i / 2] == victim && statuses[i].MPI_ERROR == MPIX_ERR_PROC_FAILED;
      if (!expected) std::printf("rank %d: code %d of rank %d\n", rank, statuses[i].MPI_ERROR, peers[i / 2]);
    }
    std::printf("rank %d: the victim is lost\n", rank);
    std::erase(peers, victim);
    mine = 'L';
  }
  std::printf("rank %d has heard of all losses\n", rank);
  std::fflush(stdout);
  MPI_Finalize();
}

/// Everybody is in one collective after the other, through shared memory.
void collectives() {
  begin();
  while (true) {
    MPI_Bcast(out.data(), static_cast<int>(out.size()), MPI_BYTE, 0, world);
    MPI_Allreduce(out.data(), in.data(), static_cast<int>(out.size()), MPI_BYTE, MPI_BOR, world);
    MPI_Barrier(world);
    did_one();
  }
}

/// The victim exchanges messages with everybody at once, the others with the victim.
void exchange() {
  std::vector<int> peers;
  for (int peer = 0; peer < size; ++peer) {
    if (rank == victim ? peer != victim : peer == victim) peers.push_back(peer);
  }
  const std::size_t each = out.size();
  in.resize(each * peers.size());
  begin();
  while (true) {
    std::vector<MPI_Request> requests;
    for (std::size_t i = 0; i < peers.size(); ++i) {
      const int count = static_cast<int>(each);
      MPI_Irecv(in.data() + i * each, count, MPI_CHAR, peers[i], 0, world, &requests.emplace_back());
      MPI_Isend(out.data(), count, MPI_CHAR, peers[i], 0, world, &requests.emplace_back());
    }
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    did_one();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> deeds{{"receive", [] { receive(false); }},
                                                           {"receive_late", [] { receive(true); }},
                                                           {"receive_anything", receive_anything},
                                                           {"send", send},
                                                           {"barrier", barrier},
                                                           {"compute", compute},
                                                           {"finalize", finalize},
                                                           {"go_on", [] { go_on(false); }},
                                                           {"go_on_late", [] { go_on(true); }},
                                                           {"notice", notice},
                                                           {"exchange", exchange},
                                                           {"collectives", collectives},
                                                           {"part", part}};
  const std::string what = argc > 1 ? argv[1] : "";
  if (!deeds.contains(what)) return EXIT_FAILURE;
  out.assign(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1, 'm');
  in.assign(out.size(), 0);
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  MPI_Comm_size(world, &size);
  const std::set<std::string> of_all{"exchange", "collectives", "compute", "finalize", "part"};
  if (rank == victim && !of_all.contains(what)) stay_out_of_mpi();
  deeds.at(what)();
}
