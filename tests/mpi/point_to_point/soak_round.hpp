// SPDX-License-Identifier: BSD-3-Clause
// One round of the soak test: a random plan of messages that all ranks know, and this rank's part of it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include "status.hpp"

namespace soak {

using Bytes = std::vector<unsigned char>;
using check::at;

inline const MPI_Comm world = MPI_COMM_WORLD;
inline constexpr int largest = 1 << 20;
inline constexpr unsigned char canary = 0xA5;

// Sizes at which a protocol may change, and their neighbours; the large ones seldom.
template <class Random>
int random_size(Random& random) {
  constexpr std::array<int, 21> sizes = {0,    1,    39,   40,    41,    255,   256,   257,   4095,  4096,   4097,
                                         8191, 8192, 8193, 16383, 16384, 16385, 65535, 65536, 65537, largest};
  const auto choice = random() % (sizes.size() + 1);
  return choice < sizes.size() ? sizes[choice] : static_cast<int>(random() % 70000);
}

inline Bytes contents(std::uint64_t salt, int size) {
  Bytes bytes(at(size));
  std::uint64_t state = salt * 0x9E3779B97F4A7C15U + at(size) + 1;
  for (unsigned char& byte : bytes) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    byte = static_cast<unsigned char>(state >> 32);
  }
  return bytes;
}

enum class Mode { send, ssend, rsend, bsend, isend, issend, irsend, ibsend, persistent, modes };
enum class Way { irecv, persistent, any_source, recv, probe, mprobe, improbe, ways };

/// Receives that are posted before anything is sent: blocking and ready sends are for these only.
inline bool is_posted(Way way) {
  return way == Way::irecv || way == Way::persistent || way == Way::any_source;
}

struct Message {
  int id, source, dest, size;  // the id is the tag
  Mode mode;
  Way way;
  std::uint64_t salt;
  Bytes data;
  MPI_Request request = MPI_REQUEST_NULL;
  bool seen = false;
};

class Round {
 public:
  /// Makes the plan. All ranks must have drawn the same numbers so far.
  explicit Round(std::mt19937_64& random) : wildcard_(random() % 3 == 0) {
    const int count = 1 + static_cast<int>(random() % at(6 * check::size));
    for (int id = 0; id < count; ++id) {
      Message message{id,
                      static_cast<int>(random() % at(check::size)),
                      static_cast<int>(random() % at(check::size)),
                      random_size(random),
                      static_cast<Mode>(random() % at(static_cast<int>(Mode::modes))),
                      static_cast<Way>(random() % at(static_cast<int>(Way::ways))),
                      random(),
                      {}};
      if (wildcard_) message.way = Way::irecv;  // any receive may take any message: all are posted
      const bool waits = message.mode < Mode::bsend || message.mode == Mode::irsend;
      if (waits && !is_posted(message.way)) message.mode = Mode::isend;
      if (message.source == check::rank) out_.push_back(message);
      if (message.dest == check::rank) in_.push_back(std::move(message));
    }
  }

  void run() {
    attach();
    for (Message& message : in_) {
      message.data.assign(at(wildcard_ ? largest : message.size) + 1, canary);
      if (is_posted(message.way)) post(message);
    }
    MPI_Barrier(world);  // a ready send finds its receive
    for (Message& message : out_) {
      message.data = contents(message.salt, message.size);
      send(message);
    }
    for (Message& message : in_) {
      if (!is_posted(message.way)) receive(message);
    }
    finish_receives();
    for (Message& message : out_) {
      CHECK_EQ(MPI_Wait(&message.request, MPI_STATUS_IGNORE), MPI_SUCCESS);
      if (message.mode == Mode::persistent) CHECK_EQ(MPI_Request_free(&message.request), MPI_SUCCESS);
      CHECK(message.data == contents(message.salt, message.size));
    }
    detach();
    MPI_Barrier(world);  // no later message meets a wildcard of this round
  }

 private:
  void attach() {
    std::size_t bytes = MPI_BSEND_OVERHEAD;
    for (const Message& message : out_) bytes += at(message.size) + 16 + MPI_BSEND_OVERHEAD;
    attached_.resize(bytes);
    CHECK_EQ(MPI_Buffer_attach(attached_.data(), static_cast<int>(bytes)), MPI_SUCCESS);
  }
  void detach() {
    void* address = nullptr;
    int size = 0;
    CHECK_EQ(MPI_Buffer_detach(&address, &size), MPI_SUCCESS);
    CHECK(address == attached_.data() && at(size) == attached_.size());
  }

  void send(Message& m) {
    using Blocking = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm);
    using NonBlocking = int (*)(const void*, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request*);
    constexpr std::array<Blocking, 4> blocking = {MPI_Send, MPI_Ssend, MPI_Rsend, MPI_Bsend};
    constexpr std::array<NonBlocking, 5> others = {MPI_Isend, MPI_Issend, MPI_Irsend, MPI_Ibsend, MPI_Send_init};
    const auto mode = static_cast<std::size_t>(m.mode);
    if (mode < blocking.size()) {
      CHECK_EQ(blocking[mode](m.data.data(), m.size, MPI_BYTE, m.dest, m.id, world), MPI_SUCCESS);
      return;
    }
    const NonBlocking start = others[mode - blocking.size()];
    CHECK_EQ(start(m.data.data(), m.size, MPI_BYTE, m.dest, m.id, world, &m.request), MPI_SUCCESS);
    if (m.mode == Mode::persistent) CHECK_EQ(MPI_Start(&m.request), MPI_SUCCESS);
  }

  void post(Message& m) {
    const int room = wildcard_ ? largest : m.size, tag = wildcard_ ? MPI_ANY_TAG : m.id;
    const int source = wildcard_ || m.way == Way::any_source ? MPI_ANY_SOURCE : m.source;
    if (m.way == Way::persistent) {
      CHECK_EQ(MPI_Recv_init(m.data.data(), room, MPI_BYTE, source, tag, world, &m.request), MPI_SUCCESS);
      CHECK_EQ(MPI_Start(&m.request), MPI_SUCCESS);
    } else {
      CHECK_EQ(MPI_Irecv(m.data.data(), room, MPI_BYTE, source, tag, world, &m.request), MPI_SUCCESS);
    }
  }

  // The receives that were not posted: each in one go.
  void receive(Message& m) {
    MPI_Status status, probed;
    MPI_Message handle;
    int found = 0;
    switch (m.way) {
      case Way::probe:
        CHECK_EQ(MPI_Probe(MPI_ANY_SOURCE, m.id, world, &probed), MPI_SUCCESS);
        CHECK_EQ(check::count_of(probed, MPI_BYTE), m.size);
        [[fallthrough]];
      case Way::recv:
        CHECK_EQ(MPI_Recv(m.data.data(), m.size, MPI_BYTE, m.source, m.id, world, &status), MPI_SUCCESS);
        break;
      case Way::mprobe:
        CHECK_EQ(MPI_Mprobe(m.source, m.id, world, &handle, &probed), MPI_SUCCESS);
        CHECK_EQ(MPI_Mrecv(m.data.data(), m.size, MPI_BYTE, &handle, &status), MPI_SUCCESS);
        break;
      default:
        while (!found) MPI_Improbe(MPI_ANY_SOURCE, m.id, world, &found, &handle, &probed);
        CHECK_EQ(MPI_Imrecv(m.data.data(), m.size, MPI_BYTE, &handle, &m.request), MPI_SUCCESS);
        return;  // waited for with the posted ones
    }
    check_arrived(m, m.data, status);
  }

  // Takes the rest with MPI_Waitany, except in the wildcard rounds, where the order of the posts is the order of the
  // messages of each sender.
  void finish_receives() {
    std::vector<MPI_Request> requests;
    for (const Message& message : in_) requests.push_back(message.request);
    for (std::size_t done = 0;; ++done) {
      MPI_Status status;
      int index = static_cast<int>(done);
      if (wildcard_ && done < requests.size()) {
        CHECK_EQ(MPI_Wait(&requests[done], &status), MPI_SUCCESS);
      } else {
        CHECK_EQ(MPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status), MPI_SUCCESS);
      }
      if (index == MPI_UNDEFINED) break;
      if (!CHECK(index >= 0 && at(index) < in_.size())) return;
      if (Message* const planned = wildcard_ ? next_of(status.MPI_SOURCE) : &in_[at(index)]) {
        check_arrived(*planned, in_[at(index)].data, status);
      }
    }
    for (std::size_t i = 0; i < in_.size(); ++i) {
      CHECK(in_[i].seen);
      if (in_[i].way == Way::persistent) CHECK_EQ(MPI_Request_free(&requests[i]), MPI_SUCCESS);
    }
  }

  /// The first message of a sender that has not come yet.
  Message* next_of(int source) {
    const auto found = std::find_if(in_.begin(), in_.end(),
                                    [&](const Message& message) { return message.source == source && !message.seen; });
    CHECK(found != in_.end());
    return found == in_.end() ? nullptr : &*found;
  }

  void check_arrived(Message& planned, const Bytes& in, const MPI_Status& status) {
    CHECK(!planned.seen);
    planned.seen = true;
    CHECK_EQ(status.MPI_SOURCE, planned.source);
    CHECK_EQ(status.MPI_TAG, planned.id);
    CHECK_EQ(check::count_of(status, MPI_BYTE), planned.size);
    const Bytes expected = contents(planned.salt, planned.size);
    CHECK(std::equal(expected.begin(), expected.end(), in.begin()));
    CHECK(std::all_of(in.begin() + planned.size, in.end(), [](unsigned char byte) { return byte == canary; }));
  }

  bool wildcard_;
  std::vector<Message> out_, in_;
  Bytes attached_;
};

}  // namespace soak
