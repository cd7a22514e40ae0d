// SPDX-License-Identifier: BSD-3-Clause
// MPI_T's events while several threads call MPI, and another one begins and ends to listen. For two ranks.
#include <mpi.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

constexpr int threads = 3, messages = 2000;

std::atomic<long> heard{0}, dropped{0};
std::atomic<bool> called_wrongly{false};
std::atomic<MPI_Count> latest{0};

void count(MPI_T_event_instance instance, MPI_T_event_registration, MPI_T_cb_safety, void*) {
  MPI_Count time = 0;
  MPI_T_event_get_timestamp(instance, &time);
  if (latest.exchange(time) > time) called_wrongly = true;  // one source, one order
  ++heard;
}

void count_copy(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void*) {
  int rank = -1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);  // any function may be called
  ++heard;
}

/// Not safe in threads, so that it must not be called.
void refuse(MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void*) {
  called_wrongly = true;
}

void count_dropped(MPI_Count count, MPI_T_event_registration, int, MPI_T_cb_safety, void*) {
  dropped += count;
}

int index_of(const char* name) {
  int index = -1;
  MPI_T_event_get_index(name, &index);
  return index;
}

MPI_T_event_registration listen(const char* name, MPI_T_cb_safety level, MPI_T_event_cb_function* function) {
  MPI_T_event_registration made = nullptr;
  MPI_T_event_handle_alloc(index_of(name), nullptr, MPI_INFO_NULL, &made);
  MPI_T_event_register_callback(made, level, MPI_INFO_NULL, nullptr, function);
  return made;
}

void exchange(MPI_Comm comm) {
  std::array<char, 8> sent{}, received{};
  for (int i = 0; i < messages; ++i)
    MPI_Sendrecv(sent.data(), 8, MPI_CHAR, check::right(), 1, received.data(), 8, MPI_CHAR, check::left(), 1, comm,
                 MPI_STATUS_IGNORE);
}

void exchange_in_threads(const std::vector<MPI_Comm>& comms) {
  std::vector<std::thread> all;
  for (const MPI_Comm comm : comms) all.emplace_back(exchange, comm);
  for (std::thread& each : all) each.join();
}

/// A tool comes and goes while messages are on their way.
void listen_now_and_then(const std::vector<MPI_Comm>& comms) {
  std::atomic<bool> over{false};
  std::thread tool([&] {
    while (!over) {
      MPI_T_event_registration one = listen("message_matched", MPI_T_CB_REQUIRE_THREAD_SAFE, &count);
      MPI_T_event_registration other = listen("message_matched", MPI_T_CB_REQUIRE_NONE, &count_copy);
      for (const long before = heard; heard == before && !over;) std::this_thread::yield();
      MPI_T_event_handle_free(other, nullptr, nullptr);
      MPI_T_event_handle_free(one, nullptr, nullptr);
    }
  });
  exchange_in_threads(comms);
  over = true;
  tool.join();
}

void all_matches_are_heard(const std::vector<MPI_Comm>& comms) {
  MPI_T_event_registration one = listen("message_matched", MPI_T_CB_REQUIRE_THREAD_SAFE, &count);
  MPI_Barrier(MPI_COMM_WORLD);
  heard = 0;
  exchange_in_threads(comms);
  CHECK(heard >= long{threads} * messages);
  MPI_T_event_handle_free(one, nullptr, nullptr);
}

void unsafe_callbacks_are_not_called(const std::vector<MPI_Comm>& comms) {
  MPI_T_event_registration one = listen("message_matched", MPI_T_CB_REQUIRE_MPI_RESTRICTED, &refuse);
  MPI_T_event_set_dropped_handler(one, &count_dropped);
  exchange_in_threads(comms);
  CHECK_EQ(dropped.load(), 0);  // told before the next event that can be delivered
  MPI_T_event_register_callback(one, MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_INFO_NULL, nullptr, &count);
  exchange(comms.front());
  CHECK(dropped >= long{threads} * messages);
  MPI_T_event_handle_free(one, nullptr, nullptr);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program;
  int provided = 0;
  MPI_T_init_thread(MPI_THREAD_MULTIPLE, &provided);
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
  program.learn();
  CHECK_EQ(provided, MPI_THREAD_MULTIPLE);
  std::vector<MPI_Comm> comms(threads, MPI_COMM_NULL);
  for (MPI_Comm& each : comms) MPI_Comm_dup(MPI_COMM_WORLD, &each);
  listen_now_and_then(comms);
  all_matches_are_heard(comms);
  unsafe_callbacks_are_not_called(comms);
  CHECK(!called_wrongly);
  for (MPI_Comm& each : comms) MPI_Comm_free(&each);
  MPI_T_finalize();
  return program.finish();
}
