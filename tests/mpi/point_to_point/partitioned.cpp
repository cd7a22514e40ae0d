// SPDX-License-Identifier: BSD-3-Clause
// Partitioned sends and receives: every way to mark partitions ready, different numbers of partitions on both sides,
// many rounds on one pair of requests, several channels that differ only in the order in which they were made, and
// requests that are freed before, between and after their rounds.
//
// Each rank sends to the next one in a ring; a rank alone sends to itself.
#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "status.hpp"

namespace {

using check::at;

const MPI_Comm world = MPI_COMM_WORLD;
int next, previous;

enum class Mark { one_by_one, backwards, range, list, mixed };

void mark_ready(Mark mark, int partitions, MPI_Request request) {
  std::vector<int> order(at(partitions));
  std::iota(order.begin(), order.end(), 0);
  const int half = partitions / 2;
  switch (mark) {
    case Mark::backwards:
      std::reverse(order.begin(), order.end());
      [[fallthrough]];
    case Mark::one_by_one:
      for (const int i : order) CHECK_EQ(MPI_Pready(i, request), MPI_SUCCESS);
      return;
    case Mark::range:  // both ends are in the range
      CHECK_EQ(MPI_Pready_range(half, partitions - 1, request), MPI_SUCCESS);
      if (half > 0) CHECK_EQ(MPI_Pready_range(0, half - 1, request), MPI_SUCCESS);
      return;
    case Mark::list:
      std::rotate(order.begin(), order.begin() + half, order.end());
      CHECK_EQ(MPI_Pready_list(partitions, order.data(), request), MPI_SUCCESS);
      return;
    case Mark::mixed:
      CHECK_EQ(MPI_Pready(half, request), MPI_SUCCESS);
      if (half > 0) CHECK_EQ(MPI_Pready_range(0, half - 1, request), MPI_SUCCESS);
      order.erase(order.begin(), order.begin() + half + 1);
      CHECK_EQ(MPI_Pready_list(static_cast<int>(order.size()), order.data(), request), MPI_SUCCESS);
      return;
  }
}

int value(int round, int sender, int i) {
  return round * 1000003 + sender * 7919 + i;
}

// A send and a receive of `total` ints in as many partitions as asked.
class Channel {
 public:
  Channel(int total, int send_partitions, int receive_partitions, int tag)
      : total_(total),
        sent_in_(send_partitions),
        received_in_(receive_partitions),
        tag_(tag),
        out_(at(total)),
        in_(at(total) + 1) {
    CHECK_EQ(MPI_Psend_init(out_.data(), sent_in_, total / sent_in_, MPI_INT, next, tag, world, MPI_INFO_NULL, &send_),
             MPI_SUCCESS);
    CHECK_EQ(MPI_Precv_init(in_.data(), received_in_, total / received_in_, MPI_INT, previous, tag, world,
                            MPI_INFO_NULL, &receive_),
             MPI_SUCCESS);
  }
  ~Channel() {
    CHECK_EQ(MPI_Request_free(&send_), MPI_SUCCESS);
    CHECK_EQ(MPI_Request_free(&receive_), MPI_SUCCESS);
    CHECK(send_ == MPI_REQUEST_NULL && receive_ == MPI_REQUEST_NULL);
  }
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void start(int round) {
    std::fill(in_.begin(), in_.end(), -1);
    for (int i = 0; i < total_; ++i) out_[at(i)] = value(round, check::rank, i);
    if (round % 2) CHECK_EQ(MPI_Start(&receive_), MPI_SUCCESS);
    CHECK_EQ(MPI_Start(&send_), MPI_SUCCESS);
    if (round % 2 == 0) CHECK_EQ(MPI_Start(&receive_), MPI_SUCCESS);
  }
  void ready(Mark mark) { mark_ready(mark, sent_in_, send_); }

  // Takes partition by partition, the last one first.
  void take(int round) {
    const int length = total_ / received_in_;
    for (int i = received_in_ - 1; i >= 0; --i) {
      for (int flag = 0; !flag;) MPI_Parrived(receive_, i, &flag);
      check_ints(round, i * length, (i + 1) * length);
    }
  }

  void wait(int round) {
    const MPI_Request send = send_, receive = receive_;
    MPI_Status status = check::spoilt();
    if (round % 3 == 0) {
      std::array<MPI_Request, 2> both = {send_, receive_};
      std::array<MPI_Status, 2> statuses;
      CHECK_EQ(MPI_Waitall(2, both.data(), statuses.data()), MPI_SUCCESS);
      CHECK(both[0] == send && both[1] == receive);
      status = statuses[1];
    } else {
      for (int flag = 0; !flag;) MPI_Test(&send_, &flag, MPI_STATUS_IGNORE);
      CHECK_EQ(MPI_Wait(&receive_, &status), MPI_SUCCESS);
    }
    CHECK_EQ(status.MPI_SOURCE, previous);
    CHECK_EQ(status.MPI_TAG, tag_);
    CHECK(send_ == send && receive_ == receive);  // persistent: they wait for the next start
    CHECK_EQ(MPI_Wait(&receive_, &status), MPI_SUCCESS);
    CHECK(check::is_empty(status));
    check_ints(round, 0, total_);
    CHECK_EQ(in_[at(total_)], -1);
  }

 private:
  void check_ints(int round, int from, int to) {
    for (int i = from; i < to; ++i) {
      if (in_[at(i)] == value(round, previous, i)) continue;
      return check::report(__FILE__, __LINE__,
                           "round " + std::to_string(round) + ", int " + std::to_string(i) + ": wrong data");
    }
    ++check::made;
  }

  int total_, sent_in_, received_in_, tag_;
  std::vector<int> out_, in_;
  MPI_Request send_ = MPI_REQUEST_NULL, receive_ = MPI_REQUEST_NULL;
};

// A partition without data has not arrived before its sender has said so.
void empty_partitions() {
  std::array<MPI_Request, 2> requests;
  CHECK_EQ(MPI_Psend_init(nullptr, 2, 0, MPI_INT, next, 3, world, MPI_INFO_NULL, &requests[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Precv_init(nullptr, 2, 0, MPI_INT, previous, 3, world, MPI_INFO_NULL, &requests[1]), MPI_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    CHECK_EQ(MPI_Start(&requests[1]), MPI_SUCCESS);
    int flag = -1;
    for (int i = 0; i < 100; ++i) CHECK_EQ(MPI_Parrived(requests[1], i % 2, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 0);
    MPI_Barrier(world);
    CHECK_EQ(MPI_Start(&requests[0]), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(0, 1, requests[0]), MPI_SUCCESS);
    for (flag = 0; !flag;) MPI_Parrived(requests[1], 1, &flag);
    CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  }
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
}

void rounds(int total, int send_partitions, int receive_partitions, int count) {
  Channel channel(total, send_partitions, receive_partitions, 11);
  for (int round = 0; round < count; ++round) {
    channel.start(round);
    channel.ready(static_cast<Mark>(round % 5));
    if (round % 2) channel.take(round);
    channel.wait(round);
  }
}

// Channels of the same pair, tag and communicator: sends and receives meet in the order in which they were made, in
// whatever order they are started.
void same_tag() {
  constexpr int channels = 3;
  Channel a(24, 4, 4, 5), b(48, 3, 6, 5), c(120, 2, 1, 5);
  const std::array<Channel*, channels> all = {&a, &b, &c};
  for (int round = 0; round < 6; ++round) {
    for (int k = 0; k < channels; ++k)
      all[at((k + round) % channels)]->start(round * channels + (k + round) % channels);
    for (int k = channels - 1; k >= 0; --k) all[at(k)]->ready(static_cast<Mark>((round + k) % 5));
    for (int k = 0; k < channels; ++k) all[at((k + 1) % channels)]->wait(round * channels + (k + 1) % channels);
  }
}

// Partitioned messages and others with the same tag never meet.
void apart_from_other_messages() {
  Channel channel(12, 3, 4, 6);
  for (int round = 0; round < 4; ++round) {
    int out = round, in = -1;
    MPI_Request receive;
    channel.start(round);
    MPI_Irecv(&in, 1, MPI_INT, previous, 6, world, &receive);
    channel.ready(Mark::range);
    MPI_Send(&out, 1, MPI_INT, next, 6, world);
    CHECK_EQ(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_SUCCESS);
    CHECK_EQ(in, round);
    channel.wait(round);
  }
}

void proc_null() {
  std::array<int, 4> data = {1, 2, 3, 4};
  std::array<MPI_Request, 2> requests;
  CHECK_EQ(MPI_Psend_init(data.data(), 4, 1, MPI_INT, MPI_PROC_NULL, 0, world, MPI_INFO_NULL, &requests[0]),
           MPI_SUCCESS);
  CHECK_EQ(MPI_Precv_init(data.data(), 4, 1, MPI_INT, MPI_PROC_NULL, 0, world, MPI_INFO_NULL, &requests[1]),
           MPI_SUCCESS);
  for (int round = 0; round < 3; ++round) {
    CHECK_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(0, 3, requests[0]), MPI_SUCCESS);
    int flag = 0;
    CHECK_EQ(MPI_Parrived(requests[1], 3, &flag), MPI_SUCCESS);
    CHECK_EQ(flag, 1);
    std::array<MPI_Status, 2> statuses;
    CHECK_EQ(MPI_Waitall(2, requests.data(), statuses.data()), MPI_SUCCESS);
    CHECK(check::is_message(statuses[1], MPI_PROC_NULL, MPI_ANY_TAG, 0));
  }
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  CHECK_EQ(data[3], 4);
}

// The number of elements in a partition is an MPI_Count.
void many_elements() {
  MPI_Datatype empty = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(0, MPI_INT, &empty);
  MPI_Type_commit(&empty);
  const MPI_Count more_than_int = MPI_Count{1} << 31;
  std::array<MPI_Request, 2> requests;
  CHECK_EQ(MPI_Psend_init(nullptr, 2, more_than_int, empty, next, 9, world, MPI_INFO_NULL, &requests[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Precv_init(nullptr, 2, more_than_int, empty, previous, 9, world, MPI_INFO_NULL, &requests[1]),
           MPI_SUCCESS);
  CHECK_EQ(MPI_Startall(2, requests.data()), MPI_SUCCESS);
  CHECK_EQ(MPI_Pready_range(0, 1, requests[0]), MPI_SUCCESS);
  CHECK_EQ(MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE), MPI_SUCCESS);
  for (MPI_Request& request : requests) CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS);
  MPI_Type_free(&empty);
}

// ---- freed requests, all with one tag

constexpr int freed_tag = 15;

struct Send {
  explicit Send(int partitions) : parts(partitions), data(at(12)) {
    CHECK_EQ(MPI_Psend_init(data.data(), parts, 12 / parts, MPI_INT, next, freed_tag, world, MPI_INFO_NULL, &request),
             MPI_SUCCESS);
  }
  void start(int round) {
    for (int i = 0; i < 12; ++i) data[at(i)] = value(round, check::rank, i);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
    CHECK_EQ(MPI_Pready_range(0, parts - 1, request), MPI_SUCCESS);
  }
  void wait() { CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS); }
  void free() { CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS); }

  int parts;
  std::vector<int> data;
  MPI_Request request = MPI_REQUEST_NULL;
};

struct Receive {
  explicit Receive(int partitions) : data(at(12)) {
    CHECK_EQ(MPI_Precv_init(data.data(), partitions, 12 / partitions, MPI_INT, previous, freed_tag, world,
                            MPI_INFO_NULL, &request),
             MPI_SUCCESS);
  }
  void start() {
    std::fill(data.begin(), data.end(), -1);
    CHECK_EQ(MPI_Start(&request), MPI_SUCCESS);
  }
  void wait(int round) {
    CHECK_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (int i = 0; i < 12; ++i) CHECK_EQ(data[at(i)], value(round, previous, i));
  }
  void free() { CHECK_EQ(MPI_Request_free(&request), MPI_SUCCESS); }

  std::vector<int> data;
  MPI_Request request = MPI_REQUEST_NULL;
};

void exchange(Send& send, Receive& receive, int round) {
  send.start(round);
  receive.start();
  send.wait();
  receive.wait(round);
}

// A pair that was freed after this many rounds leaves nothing to the next one, whichever side is made and freed first,
// and whether or not the other side has heard of it.
void freed_pairs() {
  for (int rounds = 0; rounds < 3; ++rounds) {
    for (int order = 0; order < 8; ++order) {
      const bool send_made_first = (order & 1) != 0, send_freed_first = (order & 2) != 0, met = (order & 4) != 0;
      std::vector<Receive> receives;
      if (!send_made_first) receives.emplace_back(3);
      if (!send_made_first && rounds == 0 && !send_freed_first) receives[0].free();  // unmet
      if (!send_made_first && met) MPI_Barrier(world);
      Send send(2);
      if (send_made_first && met) MPI_Barrier(world);
      if (send_made_first) receives.emplace_back(3);
      Receive& receive = receives[0];
      for (int round = 0; round < rounds; ++round) exchange(send, receive, round);
      if (send_freed_first) send.free();
      if (receive.request != MPI_REQUEST_NULL) receive.free();
      if (!send_freed_first) send.free();
      Send next_send(4);
      Receive next_receive(2);
      for (int round = 0; round < 2; ++round) exchange(next_send, next_receive, 10 + round);
      next_send.free();
      next_receive.free();
    }
  }
}

// Pairs that were made before and after a freed one meet each other. Some ranks free late, when the other sides of the
// pairs behind it have been started.
void freed_among_others() {
  for (const bool late : {false, true}) {
    Send a(1), b(2), c(3);
    Receive x(2), y(3), z(4);
    if (!late) b.free();
    y.free();
    Send d(6);
    Receive u(1);
    x.start();
    z.start();
    u.start();
    if (late) MPI_Barrier(world);
    if (late) b.free();
    d.start(4);
    c.start(3);
    a.start(1);
    x.wait(1);
    z.wait(3);
    u.wait(4);
    for (Send* const send : {&a, &c, &d}) send->wait(), send->free();
    for (Receive* const receive : {&x, &z, &u}) receive->free();
  }
}

// A program that frees and makes anew only one side of a pair is wrong, but what it means is clear.
void freed_alone() {
  for (const bool started : {false, true}) {
    Send first(2);
    Receive receive(3);
    if (started) exchange(first, receive, 0);
    MPI_Barrier(world);
    first.free();
    Send second(4);
    exchange(second, receive, 1);
    MPI_Barrier(world);
    second.free();
    receive.free();
  }
  for (const bool met : {false, true}) {
    Receive first(2);
    if (!met) first.free();
    Send send(3);
    MPI_Barrier(world);
    if (met) first.free();
    Receive second(4);
    exchange(send, second, 1);
    MPI_Barrier(world);
    send.free();
    second.free();
  }
}

}  // namespace

int main(int argc, char** argv) {
  check::Program program(argc, argv);
  next = (check::rank + 1) % check::size;
  previous = (check::rank + check::size - 1) % check::size;
  rounds(1, 1, 1, 20);
  rounds(120, 4, 4, 50);
  rounds(120, 2, 3, 50);
  rounds(120, 120, 1, 20);
  rounds(120, 1, 120, 20);
  rounds(60000, 5, 12, 20);
  rounds(3 << 20, 3, 4, 5);  // 4 MiB and 3 MiB in a partition
  empty_partitions();
  same_tag();
  apart_from_other_messages();
  many_elements();
  freed_pairs();
  freed_among_others();
  freed_alone();
  if (argc == 1) proc_null();
  return program.finish();
}
