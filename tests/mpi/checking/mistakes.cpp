// SPDX-License-Identifier: BSD-3-Clause
// Mistakes that BOWLINE_CHECK tells of, and right programs that are like them. The arguments: the names of what is
// done. Line numbers are expected: the comment behind a line names the mistake that it is reported for.
#include <mpi.h>

#include <array>
#include <cstdio>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace {

const MPI_Comm world = MPI_COMM_WORLD;
int rank = 0;
int other = 0;  // with two ranks

// ---- what is left

void leave_communicators() {
  MPI_Comm made = MPI_COMM_NULL;
  for (int i = 0; i < 3; ++i) MPI_Comm_dup(world, &made);  // left: communicators
  MPI_Comm_free(&made);
}

void leave_types() {
  MPI_Datatype pair = MPI_DATATYPE_NULL, pairs = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);  // left: type
  MPI_Type_dup(pair, &pairs);
  MPI_Type_commit(&pairs);
  MPI_Type_free(&pairs);
}

void leave_groups() {
  MPI_Group all = MPI_GROUP_NULL, again = MPI_GROUP_NULL;
  MPI_Comm_group(world, &all);  // left: group
  MPI_Comm_group(world, &again);
  MPI_Group_free(&again);
}

void leave_operator() {
  MPI_Op op = MPI_OP_NULL;
  MPI_Op_create([](void*, void*, int*, MPI_Datatype*) {}, 1, &op);  // left: operator
}

void leave_window() {
  MPI_Win window = MPI_WIN_NULL;
  int* memory = nullptr;
  MPI_Win_allocate(4, 4, MPI_INFO_NULL, world, &memory, &window);  // left: window
}

void leave_file() {
  MPI_File file = MPI_FILE_NULL;
  const int mode = MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE;
  MPI_File_open(MPI_COMM_SELF, "left.data", mode, MPI_INFO_NULL, &file);  // left: file
  std::remove("left.data");
}

int sent = 1;
std::array<int, 2> received{};

void leave_operations() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&sent, 1, MPI_INT, other, 0, world, &request);  // left: operation
  MPI_Recv(received.data(), 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
  for (int i = 0; i < 2; ++i) MPI_Ibarrier(world, &request);  // left: collectives
  MPI_Barrier(world);
}

void leave_persistent() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Send_init(&sent, 1, MPI_INT, other, 0, world, &request);  // left: persistent
  MPI_Start(&request);
  MPI_Recv(received.data(), 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void leave_message() {
  MPI_Message message = MPI_MESSAGE_NULL;
  int found = 0;
  MPI_Improbe(other, 77, world, &found, &message, MPI_STATUS_IGNORE);  // finds nothing
  MPI_Send(&sent, 1, MPI_INT, other, 0, world);
  MPI_Mprobe(other, 0, world, &message, MPI_STATUS_IGNORE);  // left: message
}

void leave_unreceived() {
  MPI_Send(&sent, 1, MPI_INT, other, 9, world);
}

void start_never() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Recv_init(received.data(), 1, MPI_INT, other, 0, world, &request);  // left: not started
  MPI_Wait(&request, MPI_STATUS_IGNORE);
  MPI_Request_free(&request);  // left: freed
}

/// Each rank sends before it receives: that ends only if messages are buffered.
template <class Send>
void exchange_by(Send send) {
  send();
  MPI_Recv(received.data(), 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
}

void rely_on_buffering() {
  exchange_by([] { MPI_Send(&sent, 1, MPI_INT, other, 0, world); });
}

void rely_on_buffering_and_wait() {
  exchange_by([] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&sent, 1, MPI_INT, other, 0, world, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  });
}

void rely_on_buffering_again_and_again() {
  exchange_by([] {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Send_init(&sent, 1, MPI_INT, other, 0, world, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
  });
}

/// A library that frees its communicator when the program frees the one to which it belongs.
int free_what_belongs_to_it(MPI_Comm, int, void* attribute, void*) {
  auto* const own = static_cast<MPI_Comm*>(attribute);
  const int code = MPI_Comm_free(own);
  delete own;
  return code;
}

void leave_nothing() {
  MPI_Comm made = MPI_COMM_NULL;
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_dup(world, &made);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, free_what_belongs_to_it, &key, nullptr);
  for (const MPI_Comm owner : {made, MPI_COMM_SELF}) {
    auto* const own = new MPI_Comm;
    MPI_Comm_dup(owner, own);
    MPI_Comm_set_attr(owner, key, own);
  }
  MPI_Comm_free(&made);
  MPI_Comm_free_keyval(&key);

  std::vector<MPI_Request> requests(6, MPI_REQUEST_NULL);
  std::array<int, 3> into{};
  for (int i = 0; i < 3; ++i) {
    MPI_Isend(&sent, 1, MPI_INT, other, i, world, &requests[2 * i]);
    MPI_Irecv(&into[i], 1, MPI_INT, other, i, world, &requests[2 * i + 1]);
  }
  int index = 0, flag = 0;
  MPI_Waitany(6, requests.data(), &index, MPI_STATUS_IGNORE);
  while (flag == 0) MPI_Testall(6, requests.data(), &flag, MPI_STATUSES_IGNORE);
  MPI_Isend(&sent, 1, MPI_INT, other, 0, world, requests.data());
  MPI_Request_free(requests.data());
  MPI_Recv(&into[0], 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
}

// ---- buffers

void change_what_is_sent() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Isend(&sent, 1, MPI_INT, other, 0, world, &request);  // changed: operation
  ++sent;
  MPI_Wait(&request, MPI_STATUS_IGNORE);  // changed: completion
  MPI_Recv(received.data(), 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
}

void change_what_a_collective_sends() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Iallgather(&sent, 1, MPI_INT, received.data(), 1, MPI_INT, world, &request);  // changed: collective
  ++sent;
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

void change_what_a_round_sends() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Send_init(&sent, 1, MPI_INT, other, 0, world, &request);  // changed: persistent
  for (int round = 0; round < 2; ++round) {
    ++sent;  // between two rounds it may change
    MPI_Start(&request);
    if (round == 1) ++sent;
    MPI_Recv(received.data(), 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Request_free(&request);
}

void receive_twice_into_one() {
  std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
  MPI_Irecv(received.data(), 2, MPI_INT, other, 0, world, requests.data());   // overlap: first
  MPI_Irecv(received.data() + 1, 1, MPI_INT, other, 1, world, &requests[1]);  // overlap: second
  for (int tag = 0; tag < 2; ++tag) MPI_Send(&sent, 1, MPI_INT, other, tag, world);
  MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
}

void send_what_is_being_received() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(received.data(), 2, MPI_INT, other, 0, world, &request);  // read: receive
  MPI_Send(received.data(), 1, MPI_INT, other, 0, world);             // read: send
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/// A window whose memory nobody but the other rank uses.
struct Window {
  Window() {
    MPI_Win_allocate(8, 4, MPI_INFO_NULL, world, &memory, &handle);
    MPI_Win_lock_all(0, handle);
  }
  ~Window() {
    MPI_Win_unlock_all(handle);
    MPI_Win_free(&handle);
  }
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  int* memory = nullptr;
  MPI_Win handle = MPI_WIN_NULL;
};

void change_what_is_put() {
  const Window window;
  MPI_Put(&sent, 1, MPI_INT, other, 0, 1, MPI_INT, window.handle);  // changed: put
  ++sent;
  MPI_Win_flush(other, window.handle);  // changed: flush
}

void get_twice_into_one() {
  const Window window;
  for (int place = 0; place < 2; ++place)
    MPI_Get(received.data(), 1, MPI_INT, other, place, 1, MPI_INT, window.handle);  // overlap: get
}

void fail_where_the_operation_began() {
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Irecv(received.data(), 1, MPI_INT, other, 0, world, &request);  // left: too short
  const std::array<int, 2> both{1, 2};
  MPI_Send(both.data(), 2, MPI_INT, other, 0, world);
  MPI_Wait(&request, MPI_STATUS_IGNORE);
}

// ---- types

/// Before the receive is posted, or after it; with and without an announcement; into holes.
void send_other_types() {
  MPI_Comm_set_errhandler(world, MPI_ERRORS_RETURN);
  const auto expect = [](int code) {
    int error_class = MPI_SUCCESS;
    MPI_Error_class(code, &error_class);
    std::array<char, MPI_MAX_ERROR_STRING> words{};
    int length = 0;
    MPI_Error_string(code, words.data(), &length);
    std::printf("%s: %s\n", error_class == MPI_ERR_TYPE ? "type" : "another class", words.data());
  };
  constexpr int many = 100'000;
  std::vector<int> out(many, 1);
  std::vector<float> in(many);
  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_FLOAT, &every_second);
  MPI_Type_commit(&every_second);
  for (const int count : {1, many}) {
    for (const bool early : {false, true}) {
      MPI_Request send = MPI_REQUEST_NULL, receive = MPI_REQUEST_NULL;
      if (early) MPI_Irecv(in.data(), count, MPI_FLOAT, other, 0, world, &receive);
      if (early) MPI_Barrier(world);
      MPI_Isend(out.data(), count, MPI_INT, other, 0, world, &send);
      if (!early) MPI_Barrier(world);
      expect(early ? MPI_Wait(&receive, MPI_STATUS_IGNORE)
                   : MPI_Recv(in.data(), count, MPI_FLOAT, other, 0, world, MPI_STATUS_IGNORE));
      MPI_Wait(&send, MPI_STATUS_IGNORE);
    }
  }
  MPI_Request send = MPI_REQUEST_NULL;
  MPI_Issend(out.data(), 2, MPI_INT, other, 0, world, &send);
  expect(MPI_Recv(in.data(), 1, every_second, other, 0, world, MPI_STATUS_IGNORE));
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  expect(MPI_Sendrecv(out.data(), 1, MPI_INT, other, 0, in.data(), 1, MPI_FLOAT, other, 0, world, MPI_STATUS_IGNORE));
  MPI_Isendrecv(out.data(), 1, MPI_INT, other, 0, in.data(), 1, MPI_FLOAT, other, 0, world, &send);
  expect(MPI_Wait(&send, MPI_STATUS_IGNORE));
  MPI_Send_init(out.data(), 1, MPI_INT, other, 0, world, &send);
  MPI_Start(&send);
  expect(MPI_Recv(in.data(), 1, MPI_FLOAT, other, 0, world, MPI_STATUS_IGNORE));
  MPI_Wait(&send, MPI_STATUS_IGNORE);
  MPI_Request_free(&send);
  std::vector<char> room(1000);
  MPI_Buffer_attach(room.data(), 1000);
  MPI_Bsend(out.data(), 1, MPI_INT, other, 0, world);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(other, 0, world, &message, MPI_STATUS_IGNORE);
  expect(MPI_Mrecv(in.data(), 1, MPI_FLOAT, &message, MPI_STATUS_IGNORE));
  void* detached = nullptr;
  int size = 0;
  MPI_Buffer_detach(static_cast<void*>(&detached), &size);
  MPI_Type_free(&every_second);
}

void send_types_that_match() {
  std::array<unsigned, 4> in{};
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(2, MPI_INT, &pair);
  MPI_Type_commit(&pair);
  const std::array<std::pair<MPI_Datatype, MPI_Datatype>, 4> types{
      {{MPI_INT, MPI_UNSIGNED}, {MPI_INT, MPI_BYTE}, {MPI_BYTE, MPI_FLOAT}, {pair, MPI_INT}}};
  for (const auto& [sends, receives] : types) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Isend(&sent, sends == pair ? 0 : 1, sends, other, 0, world, &request);
    MPI_Recv(in.data(), 4, receives, other, 0, world, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  MPI_Type_free(&pair);
}

// ---- buffers that operations may share

void share_what_may_be_shared() {
  std::vector<MPI_Request> requests(5, MPI_REQUEST_NULL);
  std::array<int, 4> into{};
  MPI_Datatype every_second = MPI_DATATYPE_NULL;
  MPI_Type_vector(2, 1, 2, MPI_INT, &every_second);
  MPI_Type_commit(&every_second);
  MPI_Irecv(into.data(), 1, every_second, other, 0, world, requests.data());
  MPI_Irecv(into.data() + 1, 1, every_second, other, 1, world, &requests[1]);
  MPI_Irecv(into.data(), 4, MPI_INT, MPI_PROC_NULL, 0, world, &requests[2]);
  std::array<int, 2> out{1, 2};
  for (int tag = 0; tag < 2; ++tag) MPI_Isend(out.data(), 2, MPI_INT, other, tag, world, &requests[3 + tag]);
  MPI_Waitall(5, requests.data(), MPI_STATUSES_IGNORE);
  out[0] = 3;
  MPI_Sendrecv(out.data(), 1, MPI_INT, other, 0, into.data(), 1, MPI_INT, other, 0, world, MPI_STATUS_IGNORE);
  MPI_Type_free(&every_second);
  const Window window;
  for (int round = 0; round < 2; ++round) {
    for (int place = 0; place < 2; ++place) MPI_Put(out.data(), 1, MPI_INT, other, place, 1, MPI_INT, window.handle);
    MPI_Win_flush_local(other, window.handle);
    ++out[0];
    MPI_Win_flush(other, window.handle);
    MPI_Get(into.data(), 1, MPI_INT, other, 0, 1, MPI_INT, window.handle);
    MPI_Win_flush_all(window.handle);
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(world, &rank);
  other = 1 - rank;
  const std::map<std::string, std::function<void()>> all = {{"communicators", leave_communicators},
                                                            {"types", leave_types},
                                                            {"groups", leave_groups},
                                                            {"operator", leave_operator},
                                                            {"window", leave_window},
                                                            {"file", leave_file},
                                                            {"operations", leave_operations},
                                                            {"persistent", leave_persistent},
                                                            {"message", leave_message},
                                                            {"unreceived", leave_unreceived},
                                                            {"never_started", start_never},
                                                            {"buffered", rely_on_buffering},
                                                            {"buffered_wait", rely_on_buffering_and_wait},
                                                            {"buffered_rounds", rely_on_buffering_again_and_again},
                                                            {"nothing", leave_nothing},
                                                            {"changed", change_what_is_sent},
                                                            {"changed_collective", change_what_a_collective_sends},
                                                            {"changed_round", change_what_a_round_sends},
                                                            {"overlap", receive_twice_into_one},
                                                            {"read", send_what_is_being_received},
                                                            {"put", change_what_is_put},
                                                            {"get", get_twice_into_one},
                                                            {"too_short", fail_where_the_operation_began},
                                                            {"other_types", send_other_types},
                                                            {"matching_types", send_types_that_match},
                                                            {"shared", share_what_may_be_shared}};
  for (int i = 1; i < argc; ++i) all.at(argv[i])();
  MPI_Finalize();
  return 0;
}
