// SPDX-License-Identifier: BSD-3-Clause
// Variables of a communicator, with a value for each of its ranks: what is sent, and how long the queues are. And
// timers that measure only while somebody has a handle of them.
#include <mpi.h>

#include <vector>

#include "check.hpp"

namespace {

MPI_T_pvar_session session;
int peer;

/// A handle of a variable, bound to a communicator or to nothing.
template <class Value>
class Handle {
 public:
  Handle(const char* name, int var_class, const MPI_Comm* comm) {
    int index = -1, count = -1;
    CHECK_EQ(MPI_T_pvar_get_index(name, var_class, &index), MPI_SUCCESS);
    CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, const_cast<MPI_Comm*>(comm), &handle_, &count), MPI_SUCCESS);
    values_.resize(static_cast<std::size_t>(count));
  }
  ~Handle() { CHECK_EQ(MPI_T_pvar_handle_free(session, &handle_), MPI_SUCCESS); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;

  std::size_t count() const { return values_.size(); }
  Value of(int rank) {
    CHECK_EQ(MPI_T_pvar_read(session, handle_, values_.data()), MPI_SUCCESS);
    return values_[static_cast<std::size_t>(rank)];
  }
  Value read_and_reset(int rank) {
    CHECK_EQ(MPI_T_pvar_readreset(session, handle_, values_.data()), MPI_SUCCESS);
    return values_[static_cast<std::size_t>(rank)];
  }
  operator MPI_T_pvar_handle() const { return handle_; }

 private:
  MPI_T_pvar_handle handle_ = MPI_T_PVAR_HANDLE_NULL;
  std::vector<Value> values_;
};

constexpr int short_length = 100, long_length = 1 << 20;

/// Each rank sends the other three short messages and a long one.
void exchange(MPI_Comm comm) {
  static std::vector<char> out(long_length), in(long_length);
  for (const int length : {short_length, short_length, short_length, long_length})
    MPI_Sendrecv(out.data(), length, MPI_CHAR, peer, 1, in.data(), length, MPI_CHAR, peer, 1, comm, MPI_STATUS_IGNORE);
}

void what_is_sent() {
  MPI_Comm comm, other;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  MPI_Comm_dup(MPI_COMM_WORLD, &other);
  {
    Handle<unsigned long> messages("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &comm);
    Handle<unsigned long> bytes("pml_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, &comm);
    CHECK_EQ(messages.count(), std::size_t{2});
    exchange(comm);
    CHECK_EQ(messages.of(peer), 0UL);
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    exchange(comm);
    exchange(other);
    CHECK_EQ(messages.of(peer), 4UL);
    CHECK_EQ(messages.of(check::rank), 0UL);
    CHECK_EQ(bytes.of(peer), 3UL * short_length + long_length);
    CHECK_EQ(MPI_T_pvar_stop(session, bytes), MPI_SUCCESS);
    exchange(comm);
    CHECK_EQ(messages.read_and_reset(peer), 8UL);
    CHECK_EQ(bytes.of(peer), 3UL * short_length + long_length);
    exchange(comm);
    CHECK_EQ(messages.of(peer), 4UL);
    CHECK_EQ(MPI_T_pvar_reset(session, messages), MPI_SUCCESS);
    CHECK_EQ(messages.of(peer), 0UL);
  }
  exchange(comm);
  MPI_Comm_free(&comm);
  MPI_Comm_free(&other);
}

/// In an intercommunicator the values are for the ranks of the other group, to which messages go.
void between_groups() {
  MPI_Comm mine, both;
  MPI_Comm_split(MPI_COMM_WORLD, check::rank, 0, &mine);
  MPI_Intercomm_create(mine, 0, MPI_COMM_WORLD, peer, 7, &both);
  {
    Handle<unsigned long> messages("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &both);
    CHECK_EQ(messages.count(), std::size_t{1});
    CHECK_EQ(MPI_T_pvar_start(session, messages), MPI_SUCCESS);
    int out = 1, in = 0;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 1, &in, 1, MPI_INT, 0, 1, both, MPI_STATUS_IGNORE);
    CHECK_EQ(messages.of(0), 1UL);
  }
  MPI_Comm_free(&both);
  MPI_Comm_free(&mine);
}

void collectives() {
  MPI_Comm comm;
  MPI_Comm_dup(MPI_COMM_WORLD, &comm);
  {
    Handle<unsigned long> messages("coll_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &comm);
    Handle<unsigned long> bytes("coll_monitoring_messages_size", MPI_T_PVAR_CLASS_SIZE, &comm);
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    double mine = 1, sum = 0;
    for (int i = 0; i < 3; ++i) MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, comm);
    CHECK_EQ(messages.of(peer), 3UL);  // BOWLINE_COLLECTIVES says by which algorithm
    CHECK_EQ(bytes.of(peer), 3 * sizeof(double));
    CHECK_EQ(messages.of(check::rank), 0UL);
  }
  MPI_Comm_free(&comm);
}

void queues() {
  const MPI_Comm world = MPI_COMM_WORLD;
  Handle<unsigned> posted("pml_ob1_posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL, &world);
  Handle<unsigned> unexpected("pml_ob1_unexpected_msgq_length", MPI_T_PVAR_CLASS_LEVEL, &world);
  Handle<unsigned long long> all_posted("posted_recvq_length", MPI_T_PVAR_CLASS_LEVEL, nullptr);
  MPI_Barrier(MPI_COMM_WORLD);
  const auto before = all_posted.of(0);
  MPI_Request requests[6];
  int in[6], out = 1;
  for (int i = 0; i < 6; ++i)
    MPI_Irecv(&in[i], 1, MPI_INT, i == 5 ? MPI_ANY_SOURCE : peer, 10 + i, MPI_COMM_WORLD, &requests[i]);
  CHECK_EQ(posted.of(peer), 5U);
  CHECK_EQ(posted.of(check::rank), 0U);
  CHECK_EQ(all_posted.of(0), before + 6);
  MPI_Barrier(MPI_COMM_WORLD);  // nobody sends before
  for (int tag : {30, 30, 10, 11, 12, 13, 14, 15}) MPI_Send(&out, 1, MPI_INT, peer, tag, MPI_COMM_WORLD);
  MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);  // what was sent before has arrived, too
  CHECK_EQ(posted.of(peer), 0U);
  CHECK_EQ(unexpected.of(peer), 2U);
  CHECK_EQ(unexpected.of(check::rank), 0U);
  for (int i = 0; i < 2; ++i) MPI_Recv(in, 1, MPI_INT, peer, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK_EQ(unexpected.of(peer), 0U);
  CHECK_EQ(MPI_T_pvar_start(session, posted), MPI_T_ERR_PVAR_NO_STARTSTOP);
  MPI_Barrier(MPI_COMM_WORLD);  // the next messages come later
}

/// A timer measures while it has a handle, whether that is started or not.
void timers() {
  {
    Handle<unsigned long long> copying("copying", MPI_T_PVAR_CLASS_TIMER, nullptr);
    Handle<unsigned long long> matching("matching", MPI_T_PVAR_CLASS_TIMER, nullptr);
    CHECK_EQ(MPI_T_pvar_start(session, MPI_T_PVAR_ALL_HANDLES), MPI_SUCCESS);
    for (int i = 0; i < 4; ++i) exchange(MPI_COMM_WORLD);
    unsigned long long in_all = copying.of(0);
    int out = 1, in = 0, first = 0;
    MPI_Request later;
    MPI_Irecv(&first, 1, MPI_INT, peer, 20, MPI_COMM_WORLD, &later);
    MPI_Sendrecv(&out, 1, MPI_INT, peer, 21, &in, 1, MPI_INT, peer, 21, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(&out, 1, MPI_INT, peer, 20, nullptr, 0, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&later, MPI_STATUS_IGNORE);
    CHECK(matching.of(0) > 0);  // one of both receives was searched for beyond the first
    unsigned long long sum = 0;
    MPI_Allreduce(&in_all, &sum, 1, MPI_UNSIGNED_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum > 1000);  // 8 MiB were copied, by one rank or by both
  }
  Handle<unsigned long long> copying("copying", MPI_T_PVAR_CLASS_TIMER, nullptr);
  CHECK_EQ(copying.of(0), 0ULL);
}

void wrong_objects() {
  int index = -1, count = -1;
  MPI_T_pvar_handle handle;
  CHECK_EQ(MPI_T_pvar_get_index("pml_monitoring_messages_count", MPI_T_PVAR_CLASS_SIZE, &index), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count), MPI_T_ERR_INVALID);
  MPI_Comm null = MPI_COMM_NULL;
  CHECK_EQ(MPI_T_pvar_handle_alloc(session, index, &null, &handle, &count), MPI_T_ERR_INVALID);
  int bind = -1;
  MPI_Datatype type;
  CHECK_EQ(MPI_T_pvar_get_info(index, nullptr, nullptr, nullptr, nullptr, &type, nullptr, nullptr, nullptr, &bind,
                               nullptr, nullptr, nullptr),
           MPI_SUCCESS);
  CHECK_EQ(bind, MPI_T_BIND_MPI_COMM);
  CHECK_EQ(type, MPI_UNSIGNED_LONG);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  peer = 1 - check::rank;
  CHECK_EQ(MPI_T_init_thread(MPI_THREAD_SINGLE, nullptr), MPI_SUCCESS);
  CHECK_EQ(MPI_T_pvar_session_create(&session), MPI_SUCCESS);
  what_is_sent();
  between_groups();
  collectives();
  queues();
  timers();
  wrong_objects();
  CHECK_EQ(MPI_T_pvar_session_free(&session), MPI_SUCCESS);
  CHECK_EQ(MPI_T_finalize(), MPI_SUCCESS);
  return program.finish();
}
