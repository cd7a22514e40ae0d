// SPDX-License-Identifier: BSD-3-Clause
// MPI_T's events: what there is, and what is told of messages, collectives, waits, windows and files (MPI-5.0, section
// 15.3.8). For two ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "check.hpp"
#include "listening.hpp"

namespace {

using namespace listening;

void all_events_have_names() {
  int count = 0, in_categories = 0, categories = 0;
  CHECK_EQ(MPI_T_event_get_num(&count), MPI_SUCCESS);
  for (const auto& [name, type] : types) {
    int index = -1;
    CHECK_EQ(MPI_T_event_get_index(name.c_str(), &index), MPI_SUCCESS);
    CHECK_EQ(index, type.index);
    for (const std::string& each : type.elements) CHECK(type.description.find(each) != std::string::npos);
  }
  MPI_T_category_get_num(&categories);
  for (int i = 0; i < categories; ++i) {
    int events = 0;
    CHECK_EQ(MPI_T_category_get_num_events(i, &events), MPI_SUCCESS);
    std::vector<int> indices(static_cast<std::size_t>(events), -1);
    CHECK_EQ(MPI_T_category_get_events(i, events, indices.data()), MPI_SUCCESS);
    for (const int each : indices) CHECK(each >= 0 && each < count);
    in_categories += events;
  }
  CHECK_EQ(in_categories, count);
  int index = -1;
  CHECK_EQ(MPI_T_event_get_index("no such event", &index), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_event_handle_alloc(count, nullptr, MPI_INFO_NULL, nullptr), MPI_T_ERR_INVALID_INDEX);
}

void sources_have_clocks() {
  int count = 0;
  CHECK_EQ(MPI_T_source_get_num(&count), MPI_SUCCESS);
  CHECK_EQ(count, 2);
  for (int i = 0; i < count; ++i) {
    std::array<char, 40> name{};
    int length = static_cast<int>(name.size());
    MPI_T_source_order order{};
    MPI_Count ticks = 0, most = 0, first = 0, second = 0;
    MPI_Info info = MPI_INFO_NULL;
    CHECK_EQ(MPI_T_source_get_info(i, name.data(), &length, nullptr, nullptr, &order, &ticks, &most, &info),
             MPI_SUCCESS);
    MPI_Info_free(&info);
    CHECK_EQ(ticks, 1'000'000'000);
    CHECK_EQ(order, i == 0 ? MPI_T_SOURCE_ORDERED : MPI_T_SOURCE_UNORDERED);
    CHECK_EQ(MPI_T_source_get_timestamp(i, &first), MPI_SUCCESS);
    CHECK_EQ(MPI_T_source_get_timestamp(i, &second), MPI_SUCCESS);
    CHECK(first > 0 && first <= second && second <= most);
  }
  MPI_Count time = 0;
  CHECK_EQ(MPI_T_source_get_timestamp(count, &time), MPI_T_ERR_INVALID_INDEX);
}

/// One message of each kind from rank 0 to rank 1.
void exchange_messages() {
  std::vector<char> data(1 << 20);
  const int mebibyte = static_cast<int>(data.size());
  if (check::rank == 0) {
    MPI_Send(data.data(), 8, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
    MPI_Recv(nullptr, 0, MPI_CHAR, 1, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(data.data(), 16, MPI_CHAR, 1, 2, MPI_COMM_WORLD);
    MPI_Send(data.data(), mebibyte, MPI_CHAR, 1, 3, MPI_COMM_WORLD);
  } else {
    MPI_Probe(0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);  // so the message is there before its receive
    MPI_Recv(data.data(), 8, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Irecv(data.data(), 16, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &request);
    MPI_Send(nullptr, 0, MPI_CHAR, 0, 9, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Recv(data.data(), mebibyte, MPI_CHAR, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void messages_are_told() {
  happened.clear();
  {
    std::vector<std::unique_ptr<Registration>> all;
    for (const char* name :
         {"message_unexpected", "message_matched", "protocol_chosen", "rendezvous_begun", "rendezvous_ended"})
      all.push_back(std::make_unique<Registration>(name, MPI_T_CB_REQUIRE_MPI_RESTRICTED));
    exchange_messages();
  }
  if (check::rank == 0) {
    const auto sent = those("protocol_chosen", "tag", 1);
    CHECK_EQ(sent.size(), 1U);
    CHECK_EQ(word(sent.front(), "protocol"), "eager_inline");
    CHECK_EQ(sent.front().numbers.at("process"), 1);
    CHECK_EQ(sent.front().numbers.at("bytes"), 8);
    CHECK_EQ(word(those("protocol_chosen", "tag", 3).front(), "protocol"), "ready_to_send");
    CHECK(those("message_matched", "tag", 1).empty());
  } else {
    CHECK_EQ(those("message_unexpected", "tag", 1).size(), 1U);
    const auto first = those("message_matched", "tag", 1), second = those("message_matched", "tag", 2);
    CHECK_EQ(first.size(), 1U);
    CHECK_EQ(word(first.front(), "first"), "message");
    CHECK_EQ(first.front().numbers.at("source"), 0);
    CHECK_EQ(second.size(), 1U);
    CHECK(word(second.front(), "first") != "message");
    CHECK_EQ(second.front().numbers.at("bytes"), 16);
    CHECK(those("message_unexpected", "tag", 2).empty());
    const auto chosen = those("protocol_chosen", "tag", 3), begun = those("rendezvous_begun", "tag", 3),
               ended = those("rendezvous_ended", "tag", 3);
    CHECK(!chosen.empty());
    CHECK(word(chosen.front(), "protocol").starts_with("rendezvous_"));
    CHECK_EQ(begun.size(), 1U);
    CHECK_EQ(ended.size(), 1U);
    CHECK(begun.front().time <= chosen.front().time && chosen.back().time <= ended.front().time);
    CHECK_EQ(ended.front().numbers.at("bytes"), 1 << 20);
  }
  CHECK(std::ranges::is_sorted(happened, {}, &Happened::time));
  CHECK(std::ranges::all_of(happened, [](const Happened& each) { return each.source == 0; }));
  const std::size_t before = happened.size();
  MPI_Barrier(MPI_COMM_WORLD);  // the other rank has heard all of the first exchange
  exchange_messages();
  CHECK_EQ(happened.size(), before);  // nobody listens any more
}

void collectives_are_told() {
  happened.clear();
  double mine = 1, sum = 0;
  {
    const Registration begun("collective_begun", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    const Registration chosen("algorithm_chosen", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    const Registration ended("collective_ended", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibcast(&sum, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  CHECK_EQ(happened.size(), 6U);
  if (happened.size() != 6) return;
  const std::array<const char*, 6> order{"collective_begun", "algorithm_chosen", "collective_ended",
                                         "collective_begun", "algorithm_chosen", "collective_ended"};
  for (std::size_t i = 0; i < order.size(); ++i) CHECK_EQ(happened[i].name, order[i]);
  for (const std::size_t first : {0, 3}) {
    CHECK_EQ(word(happened[first], "operation"), first == 0 ? "allreduce" : "bcast");
    CHECK_EQ(happened[first].numbers.at("bytes"), 8);
    CHECK(word(happened[first + 1], "algorithm").starts_with(first == 0 ? "allreduce/" : "bcast/"));
    for (const std::size_t other : {first + 1, first + 2}) {
      for (const char* element : {"context", "sequence"})
        CHECK_EQ(happened[first].numbers.at(element), happened[other].numbers.at(element));
    }
  }
}

void windows_and_files_are_told() {
  happened.clear();
  int* memory = nullptr;
  MPI_Win window = MPI_WIN_NULL;
  MPI_File file = MPI_FILE_NULL;
  {
    const Registration begun("epoch_begun", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    const Registration ended("epoch_ended", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    const Registration accessed("file_access", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
    MPI_Win_fence(0, window);
    MPI_Win_fence(MPI_MODE_NOSUCCEED, window);
    MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, window);
    MPI_Win_unlock(1, window);
    MPI_Win_free(&window);
    MPI_File_open(MPI_COMM_SELF, "events.tmp", MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE,
                  MPI_INFO_NULL, &file);
    MPI_File_write_at(file, 100, "data", 4, MPI_CHAR, MPI_STATUS_IGNORE);
    MPI_File_close(&file);
  }
  for (const char* name : {"epoch_begun", "epoch_ended"}) {
    const auto epochs = those(name);
    CHECK_EQ(epochs.size(), 2U);
    CHECK_EQ(word(epochs.front(), "epoch"), "fence");
    CHECK_EQ(word(epochs.back(), "epoch"), "lock");
    CHECK_EQ(epochs.back().numbers.at("target"), 1);
  }
  const auto accesses = those("file_access");
  CHECK_EQ(accesses.size(), 1U);
  CHECK_EQ(word(accesses.front(), "access"), "write");
  CHECK_EQ(accesses.front().numbers.at("offset"), 100);
  CHECK_EQ(accesses.front().numbers.at("bytes"), 4);
}

/// Counts the time of waits while it exists.
class WaitTimer {
 public:
  WaitTimer() {
    int index = -1, count = 0;
    CHECK_EQ(MPI_T_pvar_get_index("waited", MPI_T_PVAR_CLASS_TIMER, &index), MPI_SUCCESS);
    MPI_T_pvar_session_create(&session_);
    MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle_, &count);
    MPI_T_pvar_start(session_, handle_);
  }
  WaitTimer(const WaitTimer&) = delete;
  WaitTimer& operator=(const WaitTimer&) = delete;
  ~WaitTimer() { MPI_T_pvar_session_free(&session_); }
  long long nanoseconds() const {
    unsigned long long value = 0;
    CHECK_EQ(MPI_T_pvar_read(session_, handle_, &value), MPI_SUCCESS);
    return static_cast<long long>(value);
  }

 private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
};

/// The other rank is late, so that the call sleeps. What it waits for is told, and that the message was late.
void waits_are_told() {
  happened.clear();
  const Registration begun("wait_begun", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  const Registration ended("wait_ended", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  const Registration matched("message_matched", MPI_T_CB_REQUIRE_MPI_RESTRICTED);
  // The other rank sees in shared memory that this one waits.
  static std::atomic<int>* waits_now = nullptr;
  MPI_Win window;
  MPI_Win_allocate_shared(sizeof(std::atomic<int>), 1, MPI_INFO_NULL, MPI_COMM_WORLD, &waits_now, &window);
  MPI_Aint bytes = 0;
  int unit = 0;
  MPI_Win_shared_query(window, 1, &bytes, &unit, &waits_now);
  if (check::rank == 1) new (waits_now) std::atomic<int>(0);
  MPI_Barrier(MPI_COMM_WORLD);
  happened.clear();
  if (check::rank == 0) {
    while (waits_now->load() == 0) continue;
    const double until = MPI_Wtime() + 0.1;
    while (MPI_Wtime() < until) continue;  // the lateness itself
    MPI_Send(nullptr, 0, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
  } else {
    const Registration seen(
        "wait_begun", MPI_T_CB_REQUIRE_MPI_RESTRICTED,
        [](MPI_T_event_instance, MPI_T_event_registration, MPI_T_cb_safety, void*) { waits_now->store(1); });
    const WaitTimer timer;
    MPI_Recv(nullptr, 0, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const auto waits = those("wait_begun", "process", 0), ends = those("wait_ended", "process", 0);
    CHECK_EQ(waits.size(), 1U);
    CHECK_EQ(ends.size(), 1U);
    if (ends.size() == 1) {
      CHECK(ends.front().numbers.at("nanoseconds") > 50'000'000);
      CHECK(timer.nanoseconds() >= ends.front().numbers.at("nanoseconds"));
    }
    const auto late = those("message_matched", "tag", 4);
    CHECK_EQ(late.size(), 1U);
    if (late.size() == 1) CHECK_EQ(word(late.front(), "first"), "awaited_receive");
  }
  MPI_Win_free(&window);
}

}  // namespace

int main(int argc, char** argv) {
  int provided = 0;
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
  learn_types();
  all_events_have_names();
  auto contact = std::make_unique<Registration>("first_contact", MPI_T_CB_REQUIRE_THREAD_SAFE);
  check::Program program(argc, argv);
  MPI_Barrier(MPI_COMM_WORLD);
  exchange_messages();
  CHECK_EQ(those("first_contact", "process", check::right()).size(), 1U);
  contact.reset();
  sources_have_clocks();
  messages_are_told();
  collectives_are_told();
  windows_and_files_are_told();
  waits_are_told();
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return program.finish();
}
