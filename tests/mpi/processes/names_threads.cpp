// SPDX-License-Identifier: BSD-3-Clause
// Threads publish and find names at the same time, and one waits for a name that another one publishes.
#include <unistd.h>

#include <array>
#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

std::string look_up(const std::string& name, MPI_Info info = MPI_INFO_NULL) {
  std::array<char, MPI_MAX_PORT_NAME> port{};
  return MPI_Lookup_name(name.c_str(), info, port.data()) == MPI_SUCCESS ? port.data() : "error";
}

std::string own(const char* name, int number) {
  return name + std::to_string(getpid()) + "." + std::to_string(number);
}

/// Returns how many calls have not done what they should.
int publish_many(int thread) {
  int wrong = 0;
  for (int round = 0; round < 20; ++round) {
    const std::string name = own("thread", 100 * thread + round);
    wrong += MPI_Publish_name(name.c_str(), MPI_INFO_NULL, "p") == MPI_SUCCESS ? 0 : 1;
    wrong += look_up(name) == "p" ? 0 : 1;
    wrong += MPI_Unpublish_name(name.c_str(), MPI_INFO_NULL, "p") == MPI_SUCCESS ? 0 : 1;
    wrong += look_up(name) == "error" ? 0 : 1;
  }
  return wrong;
}

void each_its_own() {
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) threads.emplace_back([&wrong, thread] { wrong += publish_many(thread); });
  for (std::thread& thread : threads) thread.join();
  CHECK_EQ(wrong.load(), 0);
}

// The thread that waits holds no lock that the other one needs, for this call or for a message.
void one_waits_for_another() {
  MPI_Info wait = MPI_INFO_NULL;
  MPI_Info_create(&wait);
  MPI_Info_set(wait, "bowline_wait", "true");
  const std::string name = own("waits", 0);
  std::string found;
  std::atomic<bool> began = false;
  std::thread waiting([&] {
    began = true;
    found = look_up(name, wait);
  });
  while (!began) std::this_thread::yield();
  int sent = check::rank, received = -1;
  MPI_Sendrecv(&sent, 1, MPI_INT, check::right(), 1, &received, 1, MPI_INT, check::left(), 1, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK_EQ(received, check::left());
  CHECK_EQ(MPI_Publish_name(name.c_str(), MPI_INFO_NULL, "here"), MPI_SUCCESS);
  waiting.join();
  CHECK_EQ(found, "here");
  MPI_Info_free(&wait);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  check::Program program;
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  each_its_own();
  one_waits_for_another();
  return program.finish();
}
