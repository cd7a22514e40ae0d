// SPDX-License-Identifier: BSD-3-Clause
// Messages that are too long for their receive, through every mode of send and every way to receive: MPI_ERR_TRUNCATE,
// nothing written behind the buffer, the sender notices nothing, and the messages around them are right.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "status.hpp"

namespace {

using check::at;
using check::class_of;

const MPI_Comm world = MPI_COMM_WORLD;
constexpr int most = 300000;  // ints
int peer;

enum class Send { isend, issend, ibsend, persistent, modes };
enum class Receive { recv, irecv, mrecv, imrecv, persistent, sendrecv, ways };

// Three messages of one tag: `ints` long, the middle one is the one that does not fit.
struct Messages {
  explicit Messages(Send mode, int too_long) : mode(mode) {
    for (int i = 0; i < 3; ++i) {
      out[at(i)].assign(at(i == 1 ? too_long : 3), 10 + i);
      start(i, static_cast<int>(out[at(i)].size()));
    }
  }

  void start(int i, int ints) {
    int* const first = out[at(i)].data();
    MPI_Request* const request = &requests[at(i)];
    switch (mode) {
      case Send::issend:
        MPI_Issend(first, ints, MPI_INT, peer, 1, world, request);
        break;
      case Send::ibsend:
        CHECK_EQ(MPI_Ibsend(first, ints, MPI_INT, peer, 1, world, request), MPI_SUCCESS);
        break;
      case Send::persistent:
        MPI_Send_init(first, ints, MPI_INT, peer, 1, world, request);
        MPI_Start(request);
        break;
      default:
        MPI_Isend(first, ints, MPI_INT, peer, 1, world, request);
    }
  }

  void finish() {
    CHECK_EQ(MPI_Waitall(3, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
    for (MPI_Request& request : requests) {
      if (mode == Send::persistent) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
    }
  }

  Send mode;
  std::array<std::vector<int>, 3> out;
  std::array<MPI_Request, 3> requests;
};

// Receives one message of tag 1 into `room` ints.
int receive(Receive way, int* buffer, int room, MPI_Status& status) {
  MPI_Request request;
  MPI_Message message;
  int found = 0, code, note = 0;
  switch (way) {
    case Receive::recv:
      return MPI_Recv(buffer, room, MPI_INT, peer, 1, world, &status);
    case Receive::irecv:
      MPI_Irecv(buffer, room, MPI_INT, MPI_ANY_SOURCE, 1, world, &request);
      return MPI_Wait(&request, &status);
    case Receive::mrecv:
      MPI_Mprobe(peer, MPI_ANY_TAG, world, &message, &status);
      return MPI_Mrecv(buffer, room, MPI_INT, &message, &status);
    case Receive::imrecv:
      while (!found) MPI_Improbe(peer, 1, world, &found, &message, &status);
      CHECK_EQ(MPI_Imrecv(buffer, room, MPI_INT, &message, &request), MPI_SUCCESS);
      CHECK(message == MPI_MESSAGE_NULL);
      return MPI_Wait(&request, &status);
    case Receive::persistent:
      MPI_Recv_init(buffer, room, MPI_INT, peer, 1, world, &request);
      MPI_Start(&request);
      code = MPI_Wait(&request, &status);
      CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
      return code;
    default:  // its own send goes through whatever happens to its receive
      return MPI_Sendrecv(&note, 1, MPI_INT, peer, 2, buffer, room, MPI_INT, peer, 1, world, &status);
  }
}

void check_untouched(const std::vector<int>& in, int room) {
  const auto behind = in.begin() + room;
  const auto written = std::find_if(behind, in.end(), [](int i) { return i != -1; });
  ++check::made;
  if (written == in.end()) return;
  check::report(
      __FILE__, __LINE__,
      "written behind the buffer of " + std::to_string(room) + " ints, at int " + std::to_string(written - in.begin()));
}

// Everything is there before the receive looks, or the receives are posted before anything is sent.
void unexpected(Send mode, Receive way, int too_long, int room) {
  std::array<int, 3> notes = {-1, -1, -1};
  std::array<MPI_Request, 3> notes_in;
  notes_in.fill(MPI_REQUEST_NULL);
  for (int i = 0; i < 3 && way == Receive::sendrecv; ++i) {
    MPI_Irecv(&notes[at(i)], 1, MPI_INT, peer, 2, world, &notes_in[at(i)]);
  }
  Messages messages(mode, too_long);
  std::vector<int> in(at(too_long) + 10);
  for (int i = 0; i < 3; ++i) {
    std::fill(in.begin(), in.end(), -1);
    MPI_Status status;
    const int fits = i == 1 ? room : 3;
    CHECK_EQ(class_of(receive(way, in.data(), fits, status)), i == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    check_untouched(in, fits);
    if (i == 1) continue;
    CHECK(check::is_message(status, peer, 1, 3));
    CHECK(in[0] == 10 + i && in[2] == 10 + i);
  }
  CHECK_EQ(MPI_Waitall(3, notes_in.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (const int note : notes) CHECK_EQ(note, way == Receive::sendrecv ? 0 : -1);
  messages.finish();
}

void expected(Send mode, int too_long, int room) {
  std::array<std::vector<int>, 3> in;
  std::array<MPI_Request, 3> requests;
  for (int i = 0; i < 3; ++i) {
    in[at(i)].assign(at(too_long) + 10, -1);
    MPI_Irecv(in[at(i)].data(), i == 1 ? room : 3, MPI_INT, peer, 1, world, &requests[at(i)]);
  }
  MPI_Barrier(world);
  Messages messages(mode, too_long);
  for (int i = 2; i >= 0; --i) {
    MPI_Status status;
    CHECK_EQ(class_of(MPI_Wait(&requests[at(i)], &status)), i == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    check_untouched(in[at(i)], i == 1 ? room : 3);
    if (i != 1) CHECK_EQ(in[at(i)][2], 10 + i);
  }
  messages.finish();
}

// A matched message that is too long is gone after the failed receive: the same message cannot be received again, the
// next one can.
void matched_once() {
  int value = 1, in = -1, found = 1;
  const std::array<int, 4> out{};
  MPI_Message message;
  MPI_Request request;
  MPI_Isend(out.data(), 4, MPI_INT, peer, 6, world, &request);
  MPI_Mprobe(peer, 6, world, &message, MPI_STATUS_IGNORE);
  CHECK_EQ(class_of(MPI_Mrecv(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
  CHECK_EQ(MPI_Iprobe(peer, 6, world, &found, MPI_STATUS_IGNORE), MPI_SUCCESS);
  CHECK_EQ(found, 0);
  CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
  MPI_Sendrecv(&value, 1, MPI_INT, peer, 7, &in, 1, MPI_INT, peer, 7, world, MPI_STATUS_IGNORE);
  CHECK_EQ(in, 1);
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const int pair = check::rank ^ 1;
  peer = pair < check::size ? pair : check::rank;
  std::vector<char> attached(at(3 * (most * 4 + 1024)));
  CHECK_EQ(MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size())), MPI_SUCCESS);
  for (const int too_long : {4, 11, 70, 1030, 2050, 20000, most}) {
    for (int mode = 0; mode < static_cast<int>(Send::modes); ++mode) {
      for (const int room : {0, 1, too_long - 1}) {
        for (int way = 0; way < static_cast<int>(Receive::ways); ++way) {
          unexpected(static_cast<Send>(mode), static_cast<Receive>(way), too_long, room);
        }
        expected(static_cast<Send>(mode), too_long, room);
      }
      MPI_Barrier(world);
      void* address = nullptr;  // detaching waits until the buffer is free again
      int size = 0;
      CHECK_EQ(MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
      CHECK_EQ(MPI_Buffer_attach(attached.data(), static_cast<int>(attached.size())), MPI_SUCCESS);
    }
  }
  matched_once();
  return program.finish();
}
