// SPDX-License-Identifier: BSD-3-Clause
// shm/shm_device, shm/shm_endpoint, shm/inbox and shm/copy_buffers: every message arrives whole and in order, whenever
// its receiver polls and sleeps.
#include <fcntl.h>
#include <unistd.h>

#include "shm_process.hpp"

namespace bowline::shm {
namespace {

/// Two processes connect to a third one and send; the third one sleeps whenever it finds nothing.
template <bool process_fences>
struct Sleeping : model::Suite<Sleeping<process_fences>, 3> {
  static constexpr std::uint64_t messages = 2;

  std::array<std::unique_ptr<Process>, 3> processes;

  Sleeping() {
    model::process_fences_offered = process_fences;
    for (int rank = 0; rank < 3; ++rank)
      processes[static_cast<std::size_t>(rank)] = std::make_unique<Process>(this->words, rank, 3);
  }
  void run(unsigned rank) { rank == 2 ? receive() : send_all(*processes[rank]); }

  void send_all(Process& mine) {
    const auto to = mine.connect(2, *processes[2]);
    for (std::uint64_t word = 1; word <= messages; ++word) send(*to, word);
  }
  void receive() {
    Process& mine = *processes[2];
    Received sink;
    while (sink.from(0) < messages || sink.from(1) < messages) {
      if (mine.device.poll(sink) != 0) continue;
      mine.inbox.announce();
      mine.device.ready() ? mine.inbox.withdraw() : mine.inbox.sleep(100);
    }
    RL_ASSERT(sink.breaks == 0);
  }
};

TEST(ShmDevice, NoProcessSleepsThroughAMessage) {
  model::explore<Sleeping<true>>(10'000);
}

TEST(ShmDevice, AProcessThatNapsFindsEveryMessage) {
  model::explore<Sleeping<false>>(5'000);
}

/// The owner has more rings than it watches. Eight of its nine rings have been silent for so long that the next poll
/// stops watching them, while a process sends on two of them and on the one that was never watched.
template <class Model>
struct Crowd : model::Suite<Model, 2> {
  static constexpr int senders = 9, owner = 9;
  static constexpr int silent_polls = 255;
  static constexpr std::uint64_t messages = 4;

  Process process{this->words, owner, senders + 1};
  std::array<std::unique_ptr<transport::Endpoint>, senders> endpoints;
  Received sink;

  Crowd() {
    model::process_fences_offered = true;
    for (int number = 0; number < senders; ++number) {
      endpoints[static_cast<std::size_t>(number)] = std::make_unique<ShmEndpoint>(
          process.device, *read_address(process.address), 0, static_cast<std::size_t>(number), owner);
    }
    for (int polls = 0; polls < silent_polls; ++polls) process.device.poll(sink);
  }
  void run(unsigned index) { index == 0 ? send_all() : static_cast<Model*>(this)->receive(); }
  void send_all() {
    send(*endpoints[0], 1);
    send(*endpoints[8], 1);
    send(*endpoints[7], 1);
    send(*endpoints[0], 2);
  }
};

/// It finds them, because a poll looks into a silent ring from time to time.
struct PollingCrowd : Crowd<PollingCrowd> {
  void receive() {
    while (sink.count < messages)
      if (process.device.poll(sink) == 0) cpu_relax();
  }
};

TEST(ShmDevice, PollsFindMessagesInRingsThatAreNotWatched) {
  model::explore<PollingCrowd>(3'000);
}

struct SleepingCrowd : Crowd<SleepingCrowd> {
  void receive() {
    while (sink.count < messages) {
      if (process.device.poll(sink) != 0) continue;
      process.inbox.announce();
      process.device.ready() ? process.inbox.withdraw() : process.inbox.sleep(100);
    }
  }
};

TEST(ShmDevice, NoProcessSleepsThroughAMessageInARingThatIsNotWatched) {
  model::explore<SleepingCrowd>(3'000);
}

/// A process sends, and then says good-bye in its own inbox. A peer that has read the good-bye finds all messages.
/// `looks`: whether the peer looks into all rings, as ready() does, or only where a poll looks.
template <bool looks>
struct LeftCrowd : Crowd<LeftCrowd<looks>> {
  using Base = Crowd<LeftCrowd<looks>>;

  Process sender{this->words, 0, Base::senders + 1};
  std::unique_ptr<transport::Endpoint> back = this->process.connect(0, sender);

  void run(unsigned index) {
    if (index != 0) return receive();
    this->send_all();
    sender.inbox.tell_end(good_bye);
  }
  void receive() {
    this->process.device.poll(this->sink);
    while (!back->left()) cpu_relax();
    while (this->process.device.poll(this->sink) != 0 || (looks && this->process.device.ready())) continue;
    RL_ASSERT(this->sink.count == Base::messages);
  }
};

TEST(ShmDevice, HoldsAllThatAProcessHasSentBeforeItsGoodBye) {
  model::explore<LeftCrowd<true>>(3'000);
}

// A poll that delivers nothing does not show that nothing has arrived.
TEST(ShmDevice, PollsMayMissWhatAProcessHasSentBeforeItsGoodBye) {
  model::expect_failure<LeftCrowd<false>>(3'000);
}

/// Like the above, without a connection to the process that leaves: has_left() reads its inbox by a system call.
struct SeenToLeave : model::Suite<SeenToLeave, 2> {
  Process sender{words, 0, 2}, receiver{words, 1, 2};

  void run(unsigned rank) { rank == 0 ? send_and_leave() : receive(); }

  void send_and_leave() {
    const auto to = sender.connect(1, receiver);
    send(*to, 1);
    sender.inbox.tell_end(ending);
    send(*to, 2);
    sender.inbox.tell_end(good_bye);
    sender.inbox.tell_end(ending);
  }
  void receive() {
    Received sink;
    while (owner_of(sender.address) != Owner::left) cpu_relax();
    while (receiver.device.poll(sink) != 0 || receiver.device.ready()) continue;
    RL_ASSERT(sink.count == 2 && owner_of(sender.address) == Owner::left);
  }
};

TEST(ShmDevice, HoldsAllThatAProcessHasSentBeforeItIsSeenToHaveLeft) {
  model::explore<SeenToLeave>(5'000);
}

/// Long bodies travel through the sender's copy buffers, of which the receiver gives each back.
struct Lent : model::Suite<Lent, 2> {
  static constexpr std::uint64_t messages = 4;

  Process sender{words, 0, 2}, receiver{words, 1, 2};

  void run(unsigned rank) { rank == 0 ? send_all() : receive(); }

  void send_all() {
    const auto to = sender.connect(1, receiver);
    for (std::uint64_t word = 1; word <= messages; ++word) send_long(*to, word);
  }
  void receive() {
    const auto back = receiver.connect(0, sender);
    RL_ASSERT(back->takes_long());
    Received sink;
    while (sink.count < messages)
      if (receiver.device.poll(sink) == 0) cpu_relax();
    RL_ASSERT(sink.breaks == 0);
  }
};

TEST(ShmDevice, LentBodiesArriveWhole) {
  model::explore<Lent>(5'000);
}

/// Two processes of another version refuse the inbox. The owner learns of the one that has refused last, and perhaps of
/// the other one.
struct Refused : model::Suite<Refused, 3> {
  Process process{words, 2, 3};
  InboxAddress theirs = *read_address(process.address);

  void run(unsigned rank) { rank == 2 ? note() : refuse(rank); }

  void refuse(unsigned rank) {
    InboxAddress other = theirs;
    ++other.version;
    bool refused = false;
    try {
      const ShmEndpoint endpoint(process.device, other, 0, rank, 2);
    } catch (const Error&) {
      refused = true;
    }
    RL_ASSERT(refused);
  }
  void note() {
    Received sink;
    while (sink.breaks == 0) {
      process.inbox.announce();
      process.device.ready() ? process.inbox.withdraw() : cpu_relax();
      process.device.poll(sink);
    }
  }
};

TEST(ShmDevice, TheOwnerLearnsWhoRefusesItsVersion) {
  model::explore<Refused>(5'000);
}

/// A thread of the owner comes to sleep at a pipe.
struct Rung : model::Suite<Rung, 2> {
  static constexpr std::uint64_t messages = 2;
  static inline std::array<int, 2> pipe{-1, -1};

  Process sender{words, 0, 2}, owner{words, 1, 2};

  void run(unsigned rank) { rank == 0 ? send_all() : receive(); }

  void send_all() {
    const auto to = sender.connect(1, owner);
    for (std::uint64_t word = 1; word <= messages; ++word) send(*to, word);
  }
  void receive() {
    Received sink;
    owner.inbox.ring_at(pipe[1]);
    while (sink.count < messages) {
      if (owner.device.poll(sink) != 0) continue;
      owner.inbox.announce();
      if (!owner.device.ready()) wait_at_pipe();
      owner.inbox.withdraw();
    }
    while (was_rung()) continue;
  }
  static void wait_at_pipe() {
    while (!was_rung()) cpu_relax();
  }
  static bool was_rung() {
    std::byte ring;
    return read(pipe[0], &ring, 1) > 0;
  }
};

/// One thread of the owner makes the bell known while another one announces that it sleeps.
struct BellMade : model::Suite<BellMade, 3> {
  static constexpr std::uint64_t messages = 2;

  Process sender{words, 0, 2}, owner{words, 1, 2};

  void run(unsigned index) {
    if (index == 0) return send_all();
    if (index == 1) return receive();
    owner.inbox.ring_at(Rung::pipe[1]);
    owner.inbox.wake();
  }
  void send_all() {
    const auto to = sender.connect(1, owner);
    for (std::uint64_t word = 1; word <= messages; ++word) send(*to, word);
  }
  void receive() {
    Received sink;
    while (sink.count < messages) {
      if (owner.device.poll(sink) != 0) continue;
      owner.inbox.announce();
      if (owner.device.ready())
        owner.inbox.withdraw();
      else
        owner.inbox.sleep(100);  // returns at once if it was announced for elsewhere
    }
    while (Rung::was_rung()) continue;
  }
};

TEST(ShmDevice, TheBellWakesAnOwnerThatSleepsElsewhere) {
  ASSERT_EQ(pipe2(Rung::pipe.data(), O_CLOEXEC | O_NONBLOCK), 0);
  model::explore<Rung>(5'000);
  model::explore<BellMade>(5'000);
  for (const int end : Rung::pipe) close(end);
}

}  // namespace
}  // namespace bowline::shm
