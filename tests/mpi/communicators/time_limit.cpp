// SPDX-License-Identifier: BSD-3-Clause
// The info key bowline_timeout: calls on a communicator that wait for longer fail, and so does all that follows on it
// in that process; other communicators go on. With an argument the program asks for MPI_THREAD_MULTIPLE.
#include <mpi-ext.h>

#include <array>
#include <chrono>
#include <cstring>
#include <string>
#include <vector>

#include "check.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr double limit = 0.3;  // seconds
constexpr int tag = 7;

/// A duplicate of MPI_COMM_WORLD with a time limit, whose errors are returned.
MPI_Comm limited(const char* seconds = "0.3") {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "bowline_timeout", seconds);
  MPI_Comm made = MPI_COMM_NULL;
  MPI_Comm_dup_with_info(world, info, &made);
  MPI_Info_free(&info);
  MPI_Comm_set_name(made, "limited");
  MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

std::string text_of(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return text.data();
}

int class_of(int code) {
  int error_class = MPI_SUCCESS;
  MPI_Error_class(code, &error_class);
  return error_class;
}

/// Whether the call fails for the time limit.
template <class Call>
bool fails(Call call) {
  return class_of(call()) == MPIX_ERR_TIMEOUT;
}

/// Whether the call fails for the time limit, and not before.
template <class Call>
bool fails_after_the_limit(Call call) {
  const double start = MPI_Wtime();
  const int code = call();
  const double took = MPI_Wtime() - start;
  const std::string text = text_of(code);
  CHECK(text.find("bowline_timeout of the communicator limited allows 0.3 s") != std::string::npos);
  CHECK(took >= limit);
  CHECK(took < 20 * limit);  // also on a busy machine
  return class_of(code) == MPIX_ERR_TIMEOUT;
}

/// Everything on an interrupted communicator fails at once; local calls and other communicators go on.
void all_later_calls_fail(MPI_Comm comm) {
  int value = 1;
  int flag = 0;
  int all = 0;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto wait = [&request](int code) { return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code; };
  CHECK(fails([&] { return MPI_Send(&value, 1, MPI_INT, check::right(), tag, comm); }));
  CHECK(fails([&] { return MPI_Isend(&value, 1, MPI_INT, check::right(), tag, comm, &request); }));
  CHECK(fails([&] { return MPI_Recv(&value, 1, MPI_INT, check::left(), tag, comm, MPI_STATUS_IGNORE); }));
  CHECK(fails([&] { return MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE); }));
  CHECK(fails([&] { return wait(MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, tag, comm, &request)); }));
  CHECK(fails([&] { return MPI_Probe(MPI_ANY_SOURCE, tag, comm, MPI_STATUS_IGNORE); }));
  CHECK(fails([&] { return MPI_Iprobe(MPI_ANY_SOURCE, tag, comm, &flag, MPI_STATUS_IGNORE); }));
  CHECK(fails([&] { return MPI_Barrier(comm); }));
  CHECK(fails([&] { return MPI_Bcast(&value, 1, MPI_INT, check::rank, comm); }));
  CHECK(fails([&] { return MPI_Allreduce(&value, &all, 1, MPI_INT, MPI_SUM, comm); }));
  CHECK(fails([&] { return wait(MPI_Ibarrier(comm, &request)); }));
  MPI_Comm copy = MPI_COMM_NULL;
  CHECK(fails([&] { return MPI_Comm_dup(comm, &copy); }));
  int size = 0;
  CHECK_EQ(MPI_Comm_size(comm, &size), MPI_SUCCESS);
  CHECK_EQ(size, check::size);
  MPI_Allreduce(&check::rank, &all, 1, MPI_INT, MPI_SUM, world);
  CHECK_EQ(all, check::size * (check::size - 1) / 2);
}

void a_receive_that_nothing_matches() {
  MPI_Comm comm = limited();
  int value = 0;
  CHECK(
      fails_after_the_limit([&] { return MPI_Recv(&value, 1, MPI_INT, check::left(), tag, comm, MPI_STATUS_IGNORE); }));
  all_later_calls_fail(comm);
  MPI_Comm_free(&comm);
}

/// `bytes`: also more than is sent eagerly.
void a_synchronous_send_that_nothing_matches(int bytes) {
  MPI_Comm comm = limited();
  const std::vector<char> data(static_cast<std::size_t>(bytes));
  CHECK(fails_after_the_limit([&] { return MPI_Ssend(data.data(), bytes, MPI_BYTE, check::right(), tag, comm); }));
  all_later_calls_fail(comm);
  MPI_Comm_free(&comm);
}

void a_probe_that_nothing_matches() {
  MPI_Comm comm = limited();
  CHECK(fails_after_the_limit([&] { return MPI_Probe(check::left(), tag, comm, MPI_STATUS_IGNORE); }));
  all_later_calls_fail(comm);
  MPI_Comm_free(&comm);
}

/// Rank 0 does not call it. No other rank may end well or wait for ever.
template <class Collective>
void a_collective_without_rank_0(Collective collective) {
  MPI_Comm comm = limited();
  collective(comm);  // the first call sets up shared memory
  CHECK_EQ(collective(comm), MPI_SUCCESS);
  MPI_Barrier(world);
  if (check::rank != 0) {
    const int code = class_of(collective(comm));
    CHECK(code == MPIX_ERR_TIMEOUT || code == MPI_ERR_OTHER);  // the latter: another member has told of its time-out
  }
  MPI_Barrier(world);
  MPI_Comm_free(&comm);
}

void requests_of_two_communicators() {
  MPI_Comm comm = limited();
  int value = 0;
  int other = 0;
  std::array<MPI_Request, 2> requests{};
  MPI_Irecv(&value, 1, MPI_INT, check::left(), tag, comm, requests.data());
  MPI_Irecv(&other, 1, MPI_INT, check::left(), tag, world, &requests[1]);
  MPI_Send(&check::rank, 1, MPI_INT, check::right(), tag, world);
  std::array<MPI_Status, 2> statuses{};
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  CHECK_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_ERR_IN_STATUS);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_ARE_FATAL);
  CHECK_EQ(class_of(statuses[0].MPI_ERROR), MPIX_ERR_TIMEOUT);
  CHECK_EQ(statuses[1].MPI_ERROR, MPI_SUCCESS);
  CHECK_EQ(other, check::left());
  all_later_calls_fail(comm);
  MPI_Comm_free(&comm);
}

void persistent_and_partitioned_operations() {
  MPI_Comm comm = limited();
  int value = 0;
  std::array<MPI_Request, 4> all{};
  MPI_Recv_init(&value, 1, MPI_INT, check::left(), tag, comm, all.data());
  MPI_Send_init(&value, 1, MPI_INT, check::right(), tag, comm, &all[1]);
  MPI_Psend_init(&value, 1, 1, MPI_INT, check::right(), tag, comm, MPI_INFO_NULL, &all[2]);
  MPI_Precv_init(&value, 1, 1, MPI_INT, check::left(), tag + 1, comm, MPI_INFO_NULL, &all[3]);
  MPI_Start(all.data());
  CHECK(fails_after_the_limit([&] { return MPI_Wait(all.data(), MPI_STATUS_IGNORE); }));
  for (MPI_Request& request : all) {
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    if (&request == &all[2]) CHECK_EQ(MPI_Pready(0, request), MPI_SUCCESS);
    CHECK(fails([&] { return MPI_Wait(&request, MPI_STATUS_IGNORE); }));
    MPI_Request_free(&request);
  }
  MPI_Comm_free(&comm);
}

/// Work that goes on is not ended: each call waits for less than the limit.
void calls_that_end_in_time() {
  MPI_Comm comm = limited("30");
  for (int round = 0; round < 100; ++round) {
    int value = -1;
    MPI_Sendrecv(&round, 1, MPI_INT, check::right(), tag, &value, 1, MPI_INT, check::left(), tag, comm,
                 MPI_STATUS_IGNORE);
    CHECK_EQ(value, round);
    CHECK_EQ(MPI_Barrier(comm), MPI_SUCCESS);
  }
  MPI_Info used = MPI_INFO_NULL;
  std::array<char, 16> text{};
  int length = static_cast<int>(text.size());
  int flag = 0;
  MPI_Comm_get_info(comm, &used);
  MPI_Info_get_string(used, "bowline_timeout", &length, text.data(), &flag);
  CHECK_EQ(flag, 1);
  CHECK_EQ(std::string(text.data()), "30");
  MPI_Info_free(&used);
  MPI_Comm_free(&comm);
}

/// A message that an interrupted communicator has sent or received partly, or that nobody receives, harms nothing.
void messages_under_way() {
  MPI_Comm comm = limited();
  const std::vector<char> data(1 << 20, 'x');
  std::vector<char> room(data.size());
  int value = 0;
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Isend(data.data(), static_cast<int>(data.size()), MPI_BYTE, check::right(), tag, comm, &send);
  CHECK(fails_after_the_limit(
      [&] { return MPI_Recv(&value, 1, MPI_INT, check::left(), tag + 1, comm, MPI_STATUS_IGNORE); }));
  CHECK(fails([&] { return MPI_Wait(&send, MPI_STATUS_IGNORE); }));
  MPI_Barrier(world);
  MPI_Sendrecv(data.data(), static_cast<int>(data.size()), MPI_BYTE, check::right(), tag, room.data(),
               static_cast<int>(room.size()), MPI_BYTE, check::left(), tag, world, MPI_STATUS_IGNORE);
  CHECK(room == data);
  MPI_Comm_free(&comm);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program;
  const int level = argc > 1 ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE;  // then communicators are in several lanes
  int provided = -1;
  CHECK_EQ(MPI_Init_thread(&argc, &argv, level, &provided), MPI_SUCCESS);
  program.learn();
  a_receive_that_nothing_matches();
  a_synchronous_send_that_nothing_matches(4);
  a_synchronous_send_that_nothing_matches(1 << 20);
  a_probe_that_nothing_matches();
  int sum = 0;
  a_collective_without_rank_0([](MPI_Comm comm) { return MPI_Barrier(comm); });
  a_collective_without_rank_0(
      [&](MPI_Comm comm) { return MPI_Allreduce(&check::rank, &sum, 1, MPI_INT, MPI_SUM, comm); });
  a_collective_without_rank_0([](MPI_Comm comm) {
    MPI_Request request = MPI_REQUEST_NULL;
    const int code = MPI_Ibarrier(comm, &request);
    return code == MPI_SUCCESS ? MPI_Wait(&request, MPI_STATUS_IGNORE) : code;
  });
  requests_of_two_communicators();
  persistent_and_partitioned_operations();
  calls_that_end_in_time();
  messages_under_way();
  return program.finish();
}
