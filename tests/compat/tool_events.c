/* SPDX-License-Identifier: BSD-3-Clause */
/* Events of the tool interface, with the numbers of each ABI that has them. */
#include "check.h"

static int index_of(const char* name) {
  int index = -1;
  OK(MPI_T_event_get_index(name, &index));
  return index;
}

static void to_myself(int tag) {
  char byte = 1;
  OK(MPI_Sendrecv_replace(&byte, 1, MPI_CHAR, 0, tag, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE));
}

static int called[4];
static int data;

static void note(MPI_T_event_instance instance, MPI_T_event_registration registration, MPI_T_cb_safety level,
                 void* user_data) {
  int source = -1;
  (void)registration;
  CHECK(user_data == &data);
  CHECK_EQ(MPI_T_event_get_source(instance, &source), MPI_SUCCESS);
  if (level == MPI_T_CB_REQUIRE_NONE) ++called[0];
  if (level == MPI_T_CB_REQUIRE_MPI_RESTRICTED) ++called[1];
  if (level == MPI_T_CB_REQUIRE_THREAD_SAFE) ++called[2];
  if (level == MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE) ++called[3];
}

static int freed;
static void note_freed(MPI_T_event_registration registration, MPI_T_cb_safety level, void* user_data) {
  (void)registration;
  CHECK_EQ(level, MPI_T_CB_REQUIRE_NONE);
  CHECK(user_data == &freed);
  ++freed;
}

static long long dropped;
static void note_dropped(MPI_Count count, MPI_T_event_registration registration, int source, MPI_T_cb_safety level,
                         void* user_data) {
  (void)registration;
  (void)source;
  CHECK_EQ(level, MPI_T_CB_REQUIRE_NONE);
  CHECK(user_data == &data);
  dropped += count;
}

/* The callback of each level is told that level. */
static void levels(void) {
  static const MPI_T_cb_safety all[] = {MPI_T_CB_REQUIRE_NONE, MPI_T_CB_REQUIRE_MPI_RESTRICTED,
                                        MPI_T_CB_REQUIRE_THREAD_SAFE, MPI_T_CB_REQUIRE_ASYNC_SIGNAL_SAFE};
  for (int i = 0; i < 4; ++i) {
    MPI_T_event_registration registration;
    OK(MPI_T_event_handle_alloc(index_of("message_matched"), NULL, MPI_INFO_NULL, &registration));
    OK(MPI_T_event_register_callback(registration, all[i], MPI_INFO_NULL, &data, note));
    to_myself(1);
    CHECK_EQ(called[i], 1);
    OK(MPI_T_event_register_callback(registration, all[i], MPI_INFO_NULL, &data, NULL));
    to_myself(2);
    CHECK_EQ(called[i], 1);
    OK(MPI_T_event_handle_free(registration, &freed, note_freed));
    CHECK_EQ(freed, i + 1);
  }
}

/* More events than are kept, in one call. */
static void drops(void) {
  enum { messages = 5000 };
  static MPI_Request requests[2 * messages];
  MPI_T_event_registration registration;
  OK(MPI_T_event_handle_alloc(index_of("message_matched"), NULL, MPI_INFO_NULL, &registration));
  OK(MPI_T_event_register_callback(registration, MPI_T_CB_REQUIRE_NONE, MPI_INFO_NULL, &data, note));
  OK(MPI_T_event_set_dropped_handler(registration, note_dropped));
  for (int i = 0; i < messages; ++i) {
    MPI_Recv_init(NULL, 0, MPI_CHAR, 0, 3, MPI_COMM_SELF, &requests[i]);
    MPI_Send_init(NULL, 0, MPI_CHAR, 0, 3, MPI_COMM_SELF, &requests[messages + i]);
  }
  called[0] = 0;
  OK(MPI_Startall(2 * messages, requests));
  OK(MPI_Waitall(2 * messages, requests, MPI_STATUSES_IGNORE));
  to_myself(4);
  to_myself(5);
  CHECK_EQ(called[0] + dropped, messages + 2);
  for (int i = 0; i < 2 * messages; ++i) MPI_Request_free(&requests[i]);
  OK(MPI_T_event_handle_free(registration, NULL, NULL));
}

int main(int argc, char** argv) {
  int provided = 0, sources = 0;
  MPI_T_source_order order;
  begin(&argc, &argv);
  OK(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided));
  OK(MPI_T_source_get_num(&sources));
  CHECK_EQ(sources, 2);
  OK(MPI_T_source_get_info(0, NULL, NULL, NULL, NULL, &order, NULL, NULL, NULL));
  CHECK_EQ(order, MPI_T_SOURCE_ORDERED);
  levels();
  drops();
  OK(MPI_T_finalize());
  return finish();
}
