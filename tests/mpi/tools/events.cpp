// SPDX-License-Identifier: BSD-3-Clause
// MPI_T's events: what there is, what is told of messages, collectives, windows and files, and which callbacks are
// called when (MPI-5.0, section 15.3.8). For two ranks.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

struct Type {
  int index = -1;
  std::string name, description;
  std::vector<std::string> elements;
  std::vector<MPI_Datatype> datatypes;
  std::vector<MPI_Aint> displacements;
  MPI_T_enum words = MPI_T_ENUM_NULL;
};

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts(1);
  for (const char each : text) {
    if (each == ',') {
      parts.emplace_back();
    } else {
      parts.back().push_back(each);
    }
  }
  return parts;
}

Type type_at(int index) {
  Type type;
  type.index = index;
  int name_length = 0, description_length = 0, verbosity = 0, elements = 0, bind = -1;
  CHECK_EQ(MPI_T_event_get_info(index, nullptr, &name_length, &verbosity, nullptr, nullptr, &elements, nullptr, nullptr,
                                nullptr, &description_length, &bind),
           MPI_SUCCESS);
  CHECK_EQ(bind, MPI_T_BIND_NO_OBJECT);
  std::string name(static_cast<std::size_t>(name_length), '?');
  std::string description(static_cast<std::size_t>(description_length), '?');
  type.datatypes.resize(static_cast<std::size_t>(elements));
  type.displacements.resize(static_cast<std::size_t>(elements));
  MPI_Info info = MPI_INFO_NULL;
  CHECK_EQ(
      MPI_T_event_get_info(index, name.data(), &name_length, nullptr, type.datatypes.data(), type.displacements.data(),
                           &elements, &type.words, &info, description.data(), &description_length, nullptr),
      MPI_SUCCESS);
  type.name = name.c_str();
  type.description = description.c_str();
  std::array<char, 200> text{};
  int length = static_cast<int>(text.size()), found = 0;
  MPI_Info_get_string(info, "elements", &length, text.data(), &found);
  MPI_Info_free(&info);
  type.elements = split(text.data());
  CHECK_EQ(type.elements.size(), type.datatypes.size());
  return type;
}

std::map<std::string, Type> types;

std::string word_of(MPI_T_enum words, int value) {
  std::array<char, 100> text{};
  int length = static_cast<int>(text.size()), item = 0;
  CHECK_EQ(MPI_T_enum_get_item(words, value, &item, text.data(), &length), MPI_SUCCESS);
  CHECK_EQ(item, value);
  return text.data();
}

// ---- what has happened

struct Happened {
  std::string name;
  std::map<std::string, long long> numbers;
  MPI_Count time = 0;
  int source = -1;
};
std::vector<Happened> happened;

void note(MPI_T_event_instance instance, MPI_T_event_registration, MPI_T_cb_safety, void* user_data) {
  const Type& type = *static_cast<const Type*>(user_data);
  Happened one{.name = type.name};
  std::array<std::byte, 64> copy{};
  CHECK_EQ(MPI_T_event_copy(instance, copy.data()), MPI_SUCCESS);
  for (std::size_t i = 0; i < type.elements.size(); ++i) {
    std::int64_t number = 0;
    std::int32_t small = 0;
    const bool is_small = type.datatypes[i] == MPI_INT32_T;
    CHECK_EQ(MPI_T_event_read(instance, static_cast<int>(i), is_small ? static_cast<void*>(&small) : &number),
             MPI_SUCCESS);
    CHECK(std::memcmp(copy.data() + type.displacements[i], is_small ? static_cast<void*>(&small) : &number,
                      is_small ? sizeof small : sizeof number) == 0);
    one.numbers[type.elements[i]] = is_small ? small : number;
  }
  CHECK_EQ(MPI_T_event_read(instance, static_cast<int>(type.elements.size()), copy.data()), MPI_T_ERR_INVALID_INDEX);
  CHECK_EQ(MPI_T_event_get_timestamp(instance, &one.time), MPI_SUCCESS);
  CHECK_EQ(MPI_T_event_get_source(instance, &one.source), MPI_SUCCESS);
  happened.push_back(std::move(one));
}

/// Listens while it exists.
class Registration {
 public:
  Registration(const std::string& name, MPI_T_cb_safety level, MPI_T_event_cb_function* function = &note)
      : type_(types.at(name)) {
    CHECK_EQ(MPI_T_event_handle_alloc(type_.index, nullptr, MPI_INFO_NULL, &handle_), MPI_SUCCESS);
    if (function != nullptr) set(level, function);
  }
  Registration(const Registration&) = delete;
  Registration& operator=(const Registration&) = delete;
  ~Registration() {
    if (handle_ != nullptr) CHECK_EQ(MPI_T_event_handle_free(handle_, nullptr, nullptr), MPI_SUCCESS);
  }
  void set(MPI_T_cb_safety level, MPI_T_event_cb_function* function) {
    CHECK_EQ(MPI_T_event_register_callback(handle_, level, MPI_INFO_NULL, const_cast<Type*>(&type_), function),
             MPI_SUCCESS);
  }
  MPI_T_event_registration handle() const noexcept { return handle_; }
  MPI_T_event_registration release() noexcept { return std::exchange(handle_, nullptr); }

 private:
  const Type& type_;
  MPI_T_event_registration handle_ = nullptr;
};

/// The events of this name with this tag, context or the like.
std::vector<Happened> those(const std::string& name, const std::string& element = "", long long value = 0) {
  std::vector<Happened> found;
  std::ranges::copy_if(happened, std::back_inserter(found), [&](const Happened& each) {
    return each.name == name && (element.empty() || each.numbers.at(element) == value);
  });
  return found;
}

std::string word(const Happened& event, const std::string& element) {
  return word_of(types.at(event.name).words, static_cast<int>(event.numbers.at(element)));
}

// ---- the tests

void all_events_have_names() {
  int count = 0, in_categories = 0, categories = 0;
  CHECK_EQ(MPI_T_event_get_num(&count), MPI_SUCCESS);
  for (int i = 0; i < count; ++i) {
    Type type = type_at(i);
    int index = -1;
    CHECK_EQ(MPI_T_event_get_index(type.name.c_str(), &index), MPI_SUCCESS);
    CHECK_EQ(index, i);
    for (const std::string& each : type.elements) CHECK(type.description.find(each) != std::string::npos);
    types[type.name] = std::move(type);
  }
  CHECK_EQ(types.size(), static_cast<std::size_t>(count));
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
  MPI_Barrier(MPI_COMM_WORLD);
  happened.clear();
  if (check::rank == 0) {
    const double until = MPI_Wtime() + 0.2;
    while (MPI_Wtime() < until) continue;  // the lateness itself
    MPI_Send(nullptr, 0, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
  } else {
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
}

// ---- levels of safety

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
  MPI_Barrier(MPI_COMM_WORLD);
  delivered = 0;
  dropped = 0;
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
  int provided = 0;
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, &provided), MPI_SUCCESS);
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
  a_callback_that_requires_nothing_may_communicate();
  the_least_strict_callback_is_called();
  dropped_events_are_counted();
  freeing_is_confirmed();
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return program.finish();
}
