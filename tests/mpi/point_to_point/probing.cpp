// SPDX-License-Identifier: BSD-3-Clause
// Matched probes: what MPI_Mprobe has taken belongs to its handle, in order, whole or truncated, and nobody else sees
// it. Plain probes beside them.
#include <array>
#include <vector>

#include "messages.hpp"

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
constexpr std::array<int, 7> sizes = {0, 1, 40, 41, 8193, 65536, 1 << 20};

MPI_Message take(int source, int tag, bool blocking, MPI_Status& status) {
  MPI_Message message = MPI_MESSAGE_NULL;
  if (blocking) {
    CHECK_EQ(MPI_Mprobe(source, tag, world, &message, &status), MPI_SUCCESS);
  } else {
    for (int found = 0; !found;) CHECK_EQ(MPI_Improbe(source, tag, world, &found, &message, &status), MPI_SUCCESS);
  }
  CHECK(message != MPI_MESSAGE_NULL && message != MPI_MESSAGE_NO_PROC);
  return message;
}

// Receives a taken message with the form that `form` chooses: MPI_Mrecv, MPI_Imrecv and their large-count forms.
MPI_Status receive(MPI_Message message, Bytes& in, int form) {
  const int bytes = static_cast<int>(in.size());
  MPI_Status status = unset_status();
  MPI_Request request = MPI_REQUEST_NULL;
  switch (form % 4) {
    case 0:
      CHECK_EQ(MPI_Mrecv(in.data(), bytes, MPI_BYTE, &message, &status), MPI_SUCCESS);
      break;
    case 1:
      CHECK_EQ(MPI_Mrecv_c(in.data(), bytes, MPI_BYTE, &message, &status), MPI_SUCCESS);
      break;
    case 2:
      CHECK_EQ(MPI_Imrecv(in.data(), bytes, MPI_BYTE, &message, &request), MPI_SUCCESS);
      break;
    default:
      CHECK_EQ(MPI_Imrecv_c(in.data(), bytes, MPI_BYTE, &message, &request), MPI_SUCCESS);
  }
  CHECK(message == MPI_MESSAGE_NULL);
  if (form % 4 >= 2) {
    CHECK(request != MPI_REQUEST_NULL);
    CHECK_EQ(MPI_Wait(&request, &status), MPI_SUCCESS);
  }
  return status;
}

// Each rank takes one message of each size from every rank, itself too, with wildcards or without.
void every_size(bool blocking, bool wildcards) {
  std::vector<Bytes> out;
  std::vector<MPI_Request> sends;
  for (const int bytes : sizes) out.push_back(contents(static_cast<std::size_t>(bytes), check::rank));
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (int to = 0; to < check::size; ++to) {
      MPI_Isend(out[i].data(), sizes[i], MPI_BYTE, to, static_cast<int>(i), world, &sends.emplace_back());
    }
  }
  std::vector<std::size_t> next(static_cast<std::size_t>(check::size), 0);
  for (int i = 0; i < check::size * static_cast<int>(sizes.size()); ++i) {
    const int from = wildcards ? MPI_ANY_SOURCE : i % check::size;
    const int tag = wildcards ? MPI_ANY_TAG : i / check::size;
    MPI_Status probed = unset_status();
    const MPI_Message message = take(from, tag, blocking, probed);
    const int source = probed.MPI_SOURCE;
    if (!CHECK(source >= 0 && source < check::size)) return;
    const std::size_t nth = next[static_cast<std::size_t>(source)]++;  // in order of sending, also for wildcards
    if (!CHECK(nth < sizes.size())) return;
    CHECK_STATUS(probed, source, static_cast<int>(nth), sizes[nth]);
    Bytes in(static_cast<std::size_t>(sizes[nth]));
    const MPI_Status status = receive(message, in, i);
    CHECK_STATUS(status, source, static_cast<int>(nth), sizes[nth]);
    CHECK(in == contents(in.size(), source));
  }
  CHECK_EQ(MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  MPI_Barrier(world);
}

// Rank 1 takes messages 0, 2, 4... of one sender and tag. Probes and receives see only the others, in order, and the
// taken ones come out right in any order afterwards.
void taken_messages_are_hidden(int bytes) {
  constexpr int n = 10;
  std::vector<Bytes> out;
  std::array<MPI_Request, n> sends;
  for (int i = 0; i < n; ++i) out.push_back(contents(static_cast<std::size_t>(bytes), i));
  if (check::rank == 0) {
    for (std::size_t i = 0; i < n; ++i) MPI_Isend(out[i].data(), bytes, MPI_BYTE, 1, 5, world, &sends[i]);
    MPI_Waitall(n, sends.data(), MPI_STATUSES_IGNORE);
  } else if (check::rank == 1) {
    std::vector<MPI_Message> taken;
    Bytes in(static_cast<std::size_t>(bytes));
    MPI_Status status;
    for (int i = 0; i < n; i += 2) {
      taken.push_back(take(i % 4 ? MPI_ANY_SOURCE : 0, 5, i % 4 == 0, status));
      CHECK_EQ(MPI_Probe(0, MPI_ANY_TAG, world, &status), MPI_SUCCESS);
      CHECK_EQ(MPI_Recv(in.data(), bytes, MPI_BYTE, 0, 5, world, &status), MPI_SUCCESS);
      CHECK(in == out[static_cast<std::size_t>(i) + 1]);
    }
    int found = -1;
    MPI_Message none = MPI_MESSAGE_NULL;
    CHECK_EQ(MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &found, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(found, 0);
    CHECK_EQ(MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, world, &found, &none, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(found, 0);
    for (std::size_t i = taken.size(); i-- > 0;) {
      status = receive(taken[i], in, static_cast<int>(i));
      CHECK_STATUS(status, 0, 5, bytes);
      CHECK(in == out[2 * i]);
    }
  }
  MPI_Barrier(world);
}

// A plain probe takes nothing: it sees the same message as often as it looks, while later ones wait behind it.
void probes_leave_the_message() {
  const int value = check::rank;
  int found = 0, in_value = -1;
  const int to = (check::rank + 1) % check::size, from = (check::rank + check::size - 1) % check::size;
  std::array<MPI_Request, 3> sends;
  const Bytes out = contents(100, check::rank);
  MPI_Isend(&value, 1, MPI_INT, to, 1, world, &sends[0]);
  MPI_Isend(out.data(), 100, MPI_BYTE, to, 2, world, &sends[1]);
  MPI_Isend(nullptr, 0, MPI_BYTE, to, 1, world, &sends[2]);
  for (int i = 0; i < 5; ++i) {
    MPI_Status status = unset_status();
    CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, 1, world, &status), MPI_SUCCESS);
    CHECK_STATUS(status, from, 1, static_cast<int>(sizeof value));
    CHECK_EQ(MPI_Probe(from, MPI_ANY_TAG, world, &status), MPI_SUCCESS);
    CHECK_STATUS(status, from, 1, static_cast<int>(sizeof value));
    CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, 2, world, &status), MPI_SUCCESS);
    CHECK_STATUS(status, from, 2, 100);
    CHECK_EQ(MPI_Iprobe(from, 3, world, &found, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(found, 0);
  }
  Bytes in(100);
  MPI_Recv(in.data(), 100, MPI_BYTE, from, 2, world, MPI_STATUS_IGNORE);
  CHECK(in == contents(100, from));
  MPI_Recv(&in_value, 1, MPI_INT, from, 1, world, MPI_STATUS_IGNORE);
  CHECK_EQ(in_value, from);
  MPI_Recv(nullptr, 0, MPI_BYTE, from, 1, world, MPI_STATUS_IGNORE);
  MPI_Waitall(3, sends.data(), MPI_STATUSES_IGNORE);
  MPI_Barrier(world);
}

void no_proc() {
  for (const bool blocking : {true, false}) {
    for (int form = 0; form < 4; ++form) {
      MPI_Message message = MPI_MESSAGE_NULL;
      MPI_Status status = unset_status();
      int found = 0;
      if (blocking) {
        CHECK_EQ(MPI_Mprobe(MPI_PROC_NULL, 3, world, &message, &status), MPI_SUCCESS);
      } else {
        CHECK_EQ(MPI_Improbe(MPI_PROC_NULL, 3, world, &found, &message, &status), MPI_SUCCESS);
        CHECK_EQ(found, 1);
      }
      CHECK(message == MPI_MESSAGE_NO_PROC);
      CHECK_NO_PROC(status);
      Bytes in(4, 0xEE);
      status = receive(message, in, form);
      CHECK_NO_PROC(status);
      CHECK(in == Bytes(4, 0xEE));
    }
  }
}

// A taken message that is longer than the receive: MPI_ERR_TRUNCATE, nothing behind the buffer, the next one is right.
void truncation(int bytes) {
  const Bytes out = contents(static_cast<std::size_t>(bytes), check::rank);
  for (const bool nonblocking : {false, true}) {
    MPI_Request send, request = MPI_REQUEST_NULL;
    MPI_Status status;
    Bytes in(out.size(), 0xEE);
    MPI_Isend(out.data(), bytes, MPI_BYTE, check::rank, 1, world, &send);
    MPI_Message message = take(check::rank, 1, true, status);
    int code;
    if (nonblocking) {
      MPI_Imrecv(in.data(), bytes - 5, MPI_BYTE, &message, &request);
      code = MPI_Wait(&request, &status);
    } else {
      code = MPI_Mrecv(in.data(), bytes - 5, MPI_BYTE, &message, &status);
    }
    CHECK_EQ(class_of(code), MPI_ERR_TRUNCATE);
    CHECK(Bytes(in.end() - 5, in.end()) == Bytes(5, 0xEE));
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
    MPI_Isend(out.data(), bytes, MPI_BYTE, check::rank, 1, world, &send);
    status = receive(take(check::rank, 1, false, status), in, nonblocking ? 2 : 0);
    CHECK_STATUS(status, check::rank, 1, bytes);
    CHECK(in == out);
    CHECK_EQ(MPI_Wait(&send, MPI_STATUS_IGNORE), MPI_SUCCESS);
  }
}

void refused() {
  int value = 1;
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;
  const auto is_refused = [](int code) { return class_of(code) == MPI_ERR_REQUEST || class_of(code) == MPI_ERR_ARG; };
  CHECK(is_refused(MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE)));
  CHECK(is_refused(MPI_Imrecv(&value, 1, MPI_INT, &message, &request)));
  CHECK_EQ(class_of(MPI_Mprobe(check::size, 0, world, &message, MPI_STATUS_IGNORE)), MPI_ERR_RANK);
  CHECK_EQ(class_of(MPI_Mprobe(0, -5, world, &message, MPI_STATUS_IGNORE)), MPI_ERR_TAG);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  for (const bool blocking : {true, false}) {
    for (const bool wildcards : {true, false}) every_size(blocking, wildcards);
  }
  for (const int bytes : {4, 41, 8193, 300000}) {
    if (check::size > 1) taken_messages_are_hidden(bytes);
    truncation(bytes + 5);
  }
  probes_leave_the_message();
  no_proc();
  refused();
  return program.finish();
}
