// SPDX-License-Identifier: BSD-3-Clause
// Which callbacks of MPI_T's events are called when: levels of safety, dropped events, the end of a registration
// (MPI-5.0, section 15.3.8). For two ranks.
#include <mpi.h>

#include <vector>

#include "check.hpp"
#include "listening.hpp"

namespace {

using namespace listening;

int nested_calls = 0;
/// Calls functions that communicate, which cause events themselves.
void communicate(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety level,
                 void* user_data) {
  CHECK_EQ(level, MPI_T_CB_REQUIRE_NONE);
  note(instance, registration, level, user_data);
  char byte = 1;
  MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 0, 5, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  ++nested_calls;
}

void a_callback_that_requires_nothing_may_communicate() {
  happened.clear();
  {
    const Registration all("message_matched", MPI_T_CB_REQUIRE_NONE, &communicate);
    char byte = 0;
    MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 0, 6, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK_EQ(those("message_matched", "tag", 6).size(), 1U);
    CHECK_EQ(nested_calls, 1);  // what it causes itself waits for the next call
    MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 0, 7, 0, 7, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK_EQ(nested_calls, 3);
  }
  for (const Happened& each : happened) CHECK_EQ(each.source, 1);
  char byte = 0;
  MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 0, 8, 0, 8, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK_EQ(nested_calls, 3);
}

void the_least_strict_callback_is_called() {
  static std::vector<MPI_T_cb_safety> called;
  const auto record = [](MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety level, void*) {
    called.push_back(level);
  };
  Registration all("message_matched", MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, record);
  char byte = 0;
  const auto happens = [&] { MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 0, 6, 0, 6, MPI_COMM_SELF, MPI_STATUS_IGNORE); };
  happens();
  all.set(MPI_T_CB_REQUIRE_THREAD_SAFE, record);
  happens();
  all.set(MPI_T_CB_REQUIRE_MPI_RESTRICTED, record);
  happens();
  all.set(MPI_T_CB_REQUIRE_MPI_RESTRICTED, nullptr);
  happens();
  CHECK(called == (std::vector<MPI_T_cb_safety>{MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE, MPI_T_CB_REQUIRE_THREAD_SAFE,
                                                MPI_T_CB_REQUIRE_MPI_RESTRICTED, MPI_T_CB_REQUIRE_THREAD_SAFE}));
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(MPI_T_event_callback_get_info(all.handle(), MPI_T_CB_REQUIRE_THREAD_SAFE, &info), MPI_SUCCESS);
  MPI_Info_free(&info);
  CHECK_EQ(MPI_T_event_callback_get_info(all.handle(), MPI_T_CB_REQUIRE_NONE, &info), MPI_T_ERR_INVALID);
  CHECK_EQ(MPI_T_event_handle_set_info(all.handle(), MPI_INFO_NULL), MPI_SUCCESS);
  CHECK_EQ(MPI_T_event_handle_get_info(all.handle(), &info), MPI_SUCCESS);
  MPI_Info_free(&info);
}

/// More events are kept for a callback than there is room.
void dropped_events_are_counted() {
  static MPI_Count dropped = 0;
  static int delivered = 0;
  constexpr int messages = 5000, room = 4096;
  Registration all("message_matched", MPI_T_CB_REQUIRE_NONE,
                   [](MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void*) { ++delivered; });
  CHECK_EQ(MPI_T_event_set_dropped_handler(
               all.handle(),
               [](MPI_Count count, MPI_T_event_registration, int source, MPI_T_cb_safety level, void*) {
                 CHECK_EQ(source, 1);
                 CHECK_EQ(level, MPI_T_CB_REQUIRE_NONE);
                 dropped += count;
               }),
           MPI_SUCCESS);
  // All match in one call.
  std::vector<MPI_Request> requests(messages, MPI_REQUEST_NULL);
  for (MPI_Request& each : requests) MPI_Irecv(nullptr, 0, MPI_CHAR, check::left(), 1, MPI_COMM_WORLD, &each);
  delivered = 0;
  dropped = 0;
  MPI_Barrier(MPI_COMM_WORLD);  // messages of a rank that is ahead may match in here
  std::vector<MPI_Request> sends(messages, MPI_REQUEST_NULL);
  for (MPI_Request& each : sends) MPI_Send_init(nullptr, 0, MPI_CHAR, check::right(), 1, MPI_COMM_WORLD, &each);
  MPI_Startall(messages, sends.data());
  MPI_Waitall(messages, sends.data(), MPI_STATUSES_IGNORE);
  MPI_Waitall(messages, requests.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  for (int i = 0; i < 2; ++i)  // what is dropped is told before the next event
    MPI_Sendrecv_replace(nullptr, 0, MPI_CHAR, 0, 1, 0, 1, MPI_COMM_SELF, MPI_STATUS_IGNORE);
  CHECK(delivered >= room);
  CHECK(delivered + dropped >= messages);
  for (MPI_Request& each : sends) MPI_Request_free(&each);
}

void freeing_is_confirmed() {
  static void* told = nullptr;
  static int number = 0;
  Registration one("message_matched", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  const MPI_T_event_registration handle = one.release();
  CHECK_EQ(MPI_T_event_handle_free(handle, &number,
                                   [](MPI_T_event_registration, MPI_T_cb_safety, void* data) { told = data; }),
           MPI_SUCCESS);
  CHECK(told == &number);
  CHECK_EQ(MPI_T_event_handle_free(handle, nullptr, nullptr), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_event_set_dropped_handler(handle, nullptr), MPI_T_ERR_INVALID_HANDLE);
  const Registration other("message_matched", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  CHECK_EQ(
      MPI_T_event_register_callback(other.handle(), static_cast<MPI_T_cb_safety>(1), MPI_INFO_NULL, nullptr, &note),
      MPI_T_ERR_INVALID);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  int provided = 0;
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  learn_types();
  a_callback_that_requires_nothing_may_communicate();
  the_least_strict_callback_is_called();
  dropped_events_are_counted();
  freeing_is_confirmed();
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return program.finish();
}
