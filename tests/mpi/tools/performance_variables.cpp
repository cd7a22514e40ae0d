// SPDX-License-Identifier: BSD-3-Clause
// MPI_T's performance variables: sessions and handles, and what some variables count (MPI-5.0, section 15.3.7). A
// thread reads all of them all the time.
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "check.hpp"

namespace {

using Value = unsigned long long;
constexpr int messages = 20;

struct Variable {
  std::string name;
  int var_class = 0, readonly = -1, continuous = -1, atomic = -1, bind = 0;
  MPI_Datatype datatype = MPI_DATATYPE_NULL;
};

Variable variable_at(int index) {
  Variable found;
  std::array<char, 128> name{};
  int length = name.size();
  CHECK_EQ(MPI_T_pvar_get_info(index, name.data(), &length, nullptr, &found.var_class, &found.datatype, nullptr,
                               nullptr, nullptr, &found.bind, &found.readonly, &found.continuous, &found.atomic),
           MPI_SUCCESS);
  found.name = name.data();
  return found;
}

int number_of_variables() {
  int number = 0;
  CHECK_EQ(MPI_T_pvar_get_num(&number), MPI_SUCCESS);
  return number;
}

int index_of(const char* name, int var_class) {
  int index = -1;
  CHECK_EQ(MPI_T_pvar_get_index(name, var_class, &index), MPI_SUCCESS);
  return index;
}

void check_all() {
  for (int i = 0; i < number_of_variables(); ++i) {
    const Variable each = variable_at(i);
    CHECK_EQ(index_of(each.name.c_str(), each.var_class), i);
    CHECK(each.bind == MPI_T_BIND_MPI_COMM || each.datatype == MPI_UNSIGNED_LONG_LONG);
    const bool counts = each.var_class == MPI_T_PVAR_CLASS_COUNTER || each.var_class == MPI_T_PVAR_CLASS_TIMER ||
                        each.var_class == MPI_T_PVAR_CLASS_SIZE;
    CHECK_EQ(each.continuous, counts ? 0 : 1);
    CHECK_EQ(each.readonly, each.continuous);
  }
  int index = 0;
  CHECK_EQ(MPI_T_pvar_get_index("unexpected_messages", MPI_T_PVAR_CLASS_LEVEL, &index), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_pvar_get_index("no_such_thing", MPI_T_PVAR_CLASS_COUNTER, &index), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_pvar_get_info(number_of_variables(), nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr,
                               nullptr, nullptr, nullptr, nullptr, nullptr),
           MPI_T_ERR_INVALID_INDEX);
}

class Session {
 public:
  Session() { CHECK_EQ(MPI_T_pvar_session_create(&session_), MPI_SUCCESS); }
  ~Session() {
    CHECK_EQ(MPI_T_pvar_session_free(&session_), MPI_SUCCESS);
    CHECK(session_ == MPI_T_PVAR_SESSION_NULL);
  }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  MPI_T_pvar_handle allocate(int index) {
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    int count = 0;
    CHECK_EQ(MPI_T_pvar_handle_alloc(session_, index, nullptr, &handle, &count), MPI_SUCCESS);
    CHECK_EQ(count, 1);
    return handle;
  }
  Value read(MPI_T_pvar_handle handle) const {
    Value value = 0;
    CHECK_EQ(MPI_T_pvar_read(session_, handle, &value), MPI_SUCCESS);
    return value;
  }
  Value read_and_reset(MPI_T_pvar_handle handle) const {
    Value value = 0;
    CHECK_EQ(MPI_T_pvar_readreset(session_, handle, &value), MPI_SUCCESS);
    return value;
  }
  operator MPI_T_pvar_session() const { return session_; }

 private:
  MPI_T_pvar_session session_ = MPI_T_PVAR_SESSION_NULL;
};

/// Messages of this process to itself that arrive before their receives are posted.
void be_unexpected(int count) {
  for (int i = 0; i < count; ++i) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&i, 1, MPI_INT, check::rank, 0, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  for (int i = 0, found = 0; i < 2 * count; ++i)  // progress, in which they arrive
    MPI_Iprobe(check::rank, 1, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}
void be_received(int count) {
  for (int i = 0, value = 0; i < count; ++i)
    MPI_Recv(&value, 1, MPI_INT, check::rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
void pass(int count) {
  be_unexpected(count);
  be_received(count);
}

/// A counter counts while its handle is started, for each handle apart.
void count_messages() {
  Session session;
  const int index = index_of("unexpected_messages", MPI_T_PVAR_CLASS_COUNTER);
  const MPI_T_pvar_handle first = session.allocate(index), second = session.allocate(index);
  pass(3);
  CHECK_EQ(session.read(first), Value{0});
  CHECK_EQ(MPI_T_pvar_start(session, first), MPI_SUCCESS);
  pass(messages);
  CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  pass(1);
  CHECK_EQ(MPI_T_pvar_stop(session, first), MPI_SUCCESS);
  pass(1);
  CHECK_EQ(session.read(first), Value{messages + 1});
  CHECK_EQ(session.read_and_reset(second), Value{2});
  pass(1);
  CHECK_EQ(session.read(second), Value{1});
  const Value hundred = 100;
  CHECK_EQ(MPI_T_pvar_write(session, second, &hundred), MPI_SUCCESS);
  pass(1);
  CHECK_EQ(session.read(second), Value{101});
  CHECK_EQ(MPI_T_pvar_reset(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
  CHECK_EQ(session.read(first), Value{0});
}

/// Levels run always, and are read-only.
void look_at_queue() {
  Session session;
  const MPI_T_pvar_handle length = session.allocate(index_of("unexpected_recvq_length", MPI_T_PVAR_CLASS_LEVEL));
  const MPI_T_pvar_handle peak =
      session.allocate(index_of("unexpected_recvq_length_peak", MPI_T_PVAR_CLASS_HIGHWATERMARK));
  const Value before = session.read(length);
  be_unexpected(messages);
  CHECK(session.read(length) >= before + messages);  // a message of the other rank may have come, too
  be_received(messages);
  CHECK(session.read(length) < before + messages);
  CHECK(session.read(peak) >= before + messages);
  Value value = 0;
  CHECK_EQ(MPI_T_pvar_start(session, length), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK_EQ(MPI_T_pvar_stop(session, length), MPI_T_ERR_PVAR_NO_STARTSTOP);
  CHECK_EQ(MPI_T_pvar_reset(session, length), MPI_T_ERR_PVAR_NO_WRITE);
  CHECK_EQ(MPI_T_pvar_write(session, length, &value), MPI_T_ERR_PVAR_NO_WRITE);
  CHECK_EQ(MPI_T_pvar_readreset(session, length, &value), MPI_T_ERR_PVAR_NO_ATOMIC);
}

/// What parts of the library have in memory, where both ranks share a node.
void look_at_memory() {
  Session session;
  const MPI_T_pvar_handle rings = session.allocate(index_of("ring_memory", MPI_T_PVAR_CLASS_LEVEL));
  const MPI_T_pvar_handle windows = session.allocate(index_of("window_memory", MPI_T_PVAR_CLASS_LEVEL));
  const MPI_T_pvar_handle peak = session.allocate(index_of("window_memory_peak", MPI_T_PVAR_CLASS_HIGHWATERMARK));
  int value = 0;
  MPI_Sendrecv(&check::rank, 1, MPI_INT, 1 - check::rank, 0, &value, 1, MPI_INT, 1 - check::rank, 0, MPI_COMM_WORLD,
               MPI_STATUS_IGNORE);
  CHECK(session.read(rings) > 0);
  constexpr MPI_Aint bytes = 8 << 20;  // so much is not kept
  const Value before = session.read(windows);
  void* memory = nullptr;
  MPI_Win window;
  MPI_Win_allocate(bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &window);
  CHECK(session.read(windows) >= before + 2 * bytes);
  MPI_Win_free(&window);
  CHECK_EQ(session.read(windows), before);
  CHECK(session.read(peak) >= before + 2 * bytes);
}

void check_bad_handles() {
  Session session, other;
  MPI_T_pvar_handle handle = session.allocate(0);
  Value value = 0;
  CHECK_EQ(MPI_T_pvar_read(other, handle, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_read(MPI_T_PVAR_SESSION_NULL, handle, &value), MPI_T_ERR_INVALID_SESSION);
  CHECK_EQ(MPI_T_pvar_read(session, MPI_T_PVAR_ALL_HANDLES, &value), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_handle_free(other, &handle), MPI_T_ERR_INVALID_HANDLE);
  CHECK_EQ(MPI_T_pvar_handle_free(session, &handle), MPI_SUCCESS);
  CHECK(handle == MPI_T_PVAR_HANDLE_NULL);
  CHECK_EQ(MPI_T_pvar_handle_free(session, &handle), MPI_T_ERR_INVALID_HANDLE);
}

/// Each variable is in one category.
void check_categories() {
  int categories = 0, stamp = -1;
  CHECK_EQ(MPI_T_category_get_num(&categories), MPI_SUCCESS);
  CHECK_EQ(MPI_T_category_changed(&stamp), MPI_SUCCESS);
  std::multiset<int> controls, measures;
  for (int i = 0; i < categories; ++i) {
    std::array<char, 64> name{};
    int length = name.size(), cvars = 0, pvars = 0, inner = -1, index = -1;
    CHECK_EQ(MPI_T_category_get_info(i, name.data(), &length, nullptr, nullptr, &cvars, &pvars, &inner), MPI_SUCCESS);
    CHECK_EQ(MPI_T_category_get_index(name.data(), &index), MPI_SUCCESS);
    CHECK_EQ(index, i);
    CHECK_EQ(inner, 0);
    std::vector<int> found(static_cast<std::size_t>(cvars));
    CHECK_EQ(MPI_T_category_get_cvars(i, cvars, found.data()), MPI_SUCCESS);
    controls.insert(found.begin(), found.end());
    found.resize(static_cast<std::size_t>(pvars));
    CHECK_EQ(MPI_T_category_get_pvars(i, pvars, found.data()), MPI_SUCCESS);
    measures.insert(found.begin(), found.end());
    CHECK_EQ(MPI_T_category_get_categories(i, 0, nullptr), MPI_SUCCESS);
    int events = -1;
    CHECK_EQ(MPI_T_category_get_num_events(i, &events), MPI_SUCCESS);
    CHECK(events >= 0);
    CHECK_EQ(MPI_T_category_get_events(i, 0, nullptr), MPI_SUCCESS);
  }
  int cvars = 0, index = 0;
  CHECK_EQ(MPI_T_cvar_get_num(&cvars), MPI_SUCCESS);
  CHECK_EQ(controls.size(), static_cast<std::size_t>(cvars));
  CHECK_EQ(std::set<int>(controls.begin(), controls.end()).size(), static_cast<std::size_t>(cvars));
  CHECK_EQ(measures.size(), static_cast<std::size_t>(number_of_variables()));
  CHECK_EQ(MPI_T_category_get_index("no such thing", &index), MPI_T_ERR_INVALID_NAME);
  CHECK_EQ(MPI_T_category_get_cvars(categories, 0, nullptr), MPI_T_ERR_INVALID_INDEX);
}

/// What a sampling tool does, beside the program's calls. It counts its own failures: check::made is for one thread.
class Sampler {
 public:
  Sampler() : thread_([this] { sample(); }) {}
  /// How often it has read all variables.
  long stop() {
    over_ = true;
    thread_.join();
    CHECK_EQ(failures_, 0);
    return rounds_;
  }

 private:
  void sample() {
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    int number = 0;
    note(MPI_T_pvar_session_create(&session));
    note(MPI_T_pvar_get_num(&number));
    std::vector<MPI_T_pvar_handle> handles;
    std::vector<Value> values(1);
    for (int i = 0, count = 0, bind = MPI_T_BIND_NO_OBJECT; i < number; ++i) {
      note(MPI_T_pvar_get_info(i, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &bind,
                               nullptr, nullptr, nullptr));
      if (bind == MPI_T_BIND_NO_OBJECT)
        note(MPI_T_pvar_handle_alloc(session, i, nullptr, &handles.emplace_back(), &count));
      values.resize(std::max(values.size(), static_cast<std::size_t>(count)));
    }
    note(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES));
    do {
      for (const MPI_T_pvar_handle each : handles) note(MPI_T_pvar_read(session, each, values.data()));
      ++rounds_;
    } while (!over_);
    note(MPI_T_pvar_session_free(&session));
  }
  void note(int code) { failures_ += code == MPI_SUCCESS ? 0 : 1; }

  std::atomic<bool> over_ = false;
  int failures_ = 0;
  long rounds_ = 0;
  std::thread thread_;
};

}  // namespace

int main(int argc, char** argv) {
  check::Program program;
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_MULTIPLE, nullptr), MPI_SUCCESS);
  Sampler sampler;
  check_all();
  check_categories();
  MPI_Init(&argc, &argv);
  program.learn();
  // The first barrier sends messages, which would be counted. The later ones keep a rank from going on while the other
  // one counts.
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Barrier(MPI_COMM_WORLD);
  count_messages();
  look_at_queue();
  MPI_Barrier(MPI_COMM_WORLD);
  look_at_memory();
  check_bad_handles();
  MPI_Barrier(MPI_COMM_WORLD);
  CHECK(sampler.stop() > 0);
  const int status = program.finish();
  check_all();
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return check::failed == 0 ? status : EXIT_FAILURE;
}
