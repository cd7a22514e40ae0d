// SPDX-License-Identifier: BSD-3-Clause
// Chapter: messages in every mode, short and long, with and without holes.
#include <cstring>

#include "chapter.hpp"

namespace chapter {
namespace {

constexpr int longest = 1 << 20;
char out[longest], in[longest], attached[longest];

void fill(int bytes) {
  for (int i = 0; i < bytes; ++i) out[i] = static_cast<char>(i * 7 + rank);
  std::memset(in, 0, static_cast<std::size_t>(bytes));
}
void check(int bytes, const char* what) {
  for (int i = 0; i < bytes; ++i) right(in[i] == static_cast<char>(i * 7 + previous()), what);
}

void nonblocking(int bytes) {
  fill(bytes);
  Requests<2> requests;
  must(MPI_Irecv(in, bytes, MPI_CHAR, previous(), 1, MPI_COMM_WORLD, requests[0]));
  must(MPI_Isend(out, bytes, MPI_CHAR, next(), 1, MPI_COMM_WORLD, requests[1]));
  requests.wait();
  check(bytes, "isend");
}

// Arrives before its receive.
void unexpected(int bytes) {
  fill(bytes);
  Requests<1> request;
  must(MPI_Isend(out, bytes, MPI_CHAR, next(), 2, MPI_COMM_WORLD, request[0]));
  MPI_Status status;
  must(MPI_Probe(previous(), MPI_ANY_TAG, MPI_COMM_WORLD, &status));
  must(MPI_Recv(in, bytes, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status));
  request.wait();
  check(bytes, "an unexpected message");
}

void synchronous(int bytes) {
  fill(bytes);
  Requests<1> request;
  must(MPI_Issend(out, bytes, MPI_CHAR, next(), 3, MPI_COMM_WORLD, request[0]));
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Status status;
  must(MPI_Mprobe(previous(), 3, MPI_COMM_WORLD, &message, &status));
  must(MPI_Mrecv(in, bytes, MPI_CHAR, &message, &status));
  request.wait();
  check(bytes, "issend and mrecv");
}

struct Attached {
  Attached() { must(MPI_Buffer_attach(attached, longest)); }
  ~Attached() {
    void* memory = nullptr;
    int bytes = 0;
    MPI_Buffer_detach(&memory, &bytes);
  }
};

void buffered(int bytes) {
  fill(bytes);
  const Attached buffer;
  must(MPI_Bsend(out, bytes, MPI_CHAR, next(), 4, MPI_COMM_WORLD));
  must(MPI_Recv(in, bytes, MPI_CHAR, previous(), 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  check(bytes, "bsend");
}

void both_ways(int bytes) {
  fill(bytes);
  must(MPI_Sendrecv(out, bytes, MPI_CHAR, next(), 5, in, bytes, MPI_CHAR, previous(), 5, MPI_COMM_WORLD,
                    MPI_STATUS_IGNORE));
  check(bytes, "sendrecv");
  std::memcpy(in, out, static_cast<std::size_t>(bytes));
  must(MPI_Sendrecv_replace(in, bytes, MPI_CHAR, next(), 6, previous(), 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
  check(bytes, "sendrecv_replace");
}

void persistent(int bytes) {
  fill(bytes);
  Requests<2> requests;
  must(MPI_Recv_init(in, bytes, MPI_CHAR, previous(), 7, MPI_COMM_WORLD, requests[0]));
  must(MPI_Send_init(out, bytes, MPI_CHAR, next(), 7, MPI_COMM_WORLD, requests[1]));
  must(MPI_Start(requests[0]));
  must(MPI_Start(requests[1]));
  requests.wait();
  check(bytes, "persistent");
}

void in_partitions(int bytes) {
  fill(bytes);
  Requests<2> requests;
  must(MPI_Psend_init(out, 4, bytes / 4, MPI_CHAR, next(), 8, MPI_COMM_WORLD, MPI_INFO_NULL, requests[0]));
  must(MPI_Precv_init(in, 2, bytes / 2, MPI_CHAR, previous(), 8, MPI_COMM_WORLD, MPI_INFO_NULL, requests[1]));
  must(MPI_Start(requests[1]));
  must(MPI_Start(requests[0]));
  must(MPI_Pready_range(0, 3, *requests[0]));
  requests.wait();
  check(bytes, "partitioned");
}

void with_holes(int blocks, int length) {
  const int bytes = blocks * length;
  Type type;
  must(MPI_Type_vector(blocks, length, length + 8, MPI_CHAR, &type));
  must(MPI_Type_commit(&type));
  const int all = blocks * (length + 8);
  fill(all);
  Requests<2> requests;
  must(MPI_Irecv(in, 1, type, previous(), 9, MPI_COMM_WORLD, requests[0]));
  must(MPI_Isend(out, 1, type, next(), 9, MPI_COMM_WORLD, requests[1]));
  requests.wait();
  for (int i = 0; i < bytes; ++i) {
    const int at = i / length * (length + 8) + i % length;
    right(in[at] == static_cast<char>(at * 7 + previous()), "a message with holes");
  }
}

void cancelled() {
  Requests<1> request;
  must(MPI_Irecv(in, 10, MPI_CHAR, previous(), 99, MPI_COMM_WORLD, request[0]));
  must(MPI_Cancel(request[0]));
  MPI_Status status;
  must(MPI_Wait(request[0], &status));
  int is = 0;
  must(MPI_Test_cancelled(&status, &is));
  right(is != 0, "cancel");
}

int query(void*, MPI_Status* status) {
  MPI_Status_set_elements(status, MPI_CHAR, 0);
  MPI_Status_set_cancelled(status, 0);
  status->MPI_SOURCE = status->MPI_TAG = MPI_UNDEFINED;
  return MPI_SUCCESS;
}
int nothing(void*) {
  return MPI_SUCCESS;
}
int nothing_either(void*, int) {
  return MPI_SUCCESS;
}

void generalized() {
  MPI_Request request = MPI_REQUEST_NULL;
  must(MPI_Grequest_start(query, nothing, nothing_either, nullptr, &request));
  must(MPI_Grequest_complete(request));
  must(MPI_Wait(&request, MPI_STATUS_IGNORE));
}

void run() {
  for (const int bytes : {40, 5000, 100 << 10, longest}) {
    nonblocking(bytes);
    unexpected(bytes);
    synchronous(bytes);
    both_ways(bytes);
    persistent(bytes);
    in_partitions(bytes);
  }
  buffered(40);
  buffered(100 << 10);
  with_holes(10, 16);
  with_holes(1000, 16);
  with_holes(8, 40 << 10);
  cancelled();
  generalized();
}

}  // namespace

const Chapter messages{"messages", run};

}  // namespace chapter
