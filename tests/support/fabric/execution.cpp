// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/execution.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <vector>

#include "support/fabric/counts.hpp"
#include "support/fabric/events.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/links.hpp"
#include "support/fabric/operations.hpp"
#include "support/fabric/queues.hpp"
#include "support/fabric/routes.hpp"

namespace fabric {
namespace {

struct Engine {
  std::array<Pair*, most_queue_pairs> pairs{};
  std::vector<Pair*> waiting;
  std::uint32_t faults_seen = 0;
};

// Not destroyed: the thread may run until the process ends.
Engine& engine() {
  static auto* made = new Engine;
  return *made;
}

Work& oldest(Pair& pair) {
  return pair.sends.slots[pair.sends.executed % pair.sends.slots.size()];
}
bool has_work(const Pair& pair) {
  return pair.sends.posted != pair.sends.executed;
}

void finish_oldest(Pair& pair) {
  ++pair.sends.executed;
  pair.sends.waiting_since = 0;
}

void fail_oldest(Pair& pair, ibv_wc_status status) {
  const QueuePair& entry = entry_of(pair);
  complete(entry.send_completions, blank_completion(oldest(pair).id, status, entry.number), pair.sends.executed + 1,
           true);
  finish_oldest(pair);
}

ibv_wc_opcode opcode_of(ibv_wr_opcode opcode) {
  switch (opcode) {
    case IBV_WR_RDMA_WRITE:
    case IBV_WR_RDMA_WRITE_WITH_IMM:
      return IBV_WC_RDMA_WRITE;
    case IBV_WR_RDMA_READ:
      return IBV_WC_RDMA_READ;
    case IBV_WR_ATOMIC_CMP_AND_SWP:
      return IBV_WC_COMP_SWAP;
    case IBV_WR_ATOMIC_FETCH_AND_ADD:
      return IBV_WC_FETCH_ADD;
    default:
      return IBV_WC_SEND;
  }
}

void succeed_oldest(Pair& pair) {
  const Work& work = oldest(pair);
  if (work.signaled) {
    const QueuePair& entry = entry_of(pair);
    ibv_wc wc = blank_completion(work.id, IBV_WC_SUCCESS, entry.number);
    wc.opcode = opcode_of(work.opcode);
    wc.byte_len = work.length;
    wc.wc_flags = 0;
    complete(entry.send_completions, wc, pair.sends.executed + 1, false);
  }
  finish_oldest(pair);
}

// The transport's retry timer: 4.096 us times a power of two for each try; exponent 0 stands for no limit.
bool retries_are_over(const Pair& pair, std::uint64_t waited) {
  const unsigned exponent = pair.attributes.timeout & 31U;
  return exponent != 0 && waited > (4096ULL << exponent) * (pair.attributes.retry_cnt + 1U);
}

// The receiver's timer: 0 stands for 655 ms, the others are about 10 us times a power of two for each two steps.
bool ready_retries_are_over(const Pair& pair, unsigned timer, std::uint64_t waited) {
  constexpr unsigned for_ever = 7;
  const std::uint64_t step = timer == 0 ? 655'360'000ULL : 10'000ULL << (timer / 2);
  return pair.attributes.rnr_retry != for_ever && waited > step * (pair.attributes.rnr_retry + 1U);
}

// Whether the oldest request, which could not be carried out, has been given up.
bool give_up(Pair& pair, bool not_ready, unsigned timer) {
  SendQueue& sends = pair.sends;
  if (sends.waiting_since == 0 || sends.not_ready != not_ready) {
    sends.waiting_since = now();
    sends.not_ready = not_ready;
    ++(not_ready ? counts.not_ready : counts.link_down);
  }
  const std::uint64_t waited = now() - sends.waiting_since;
  const bool over = not_ready ? ready_retries_are_over(pair, timer, waited) : retries_are_over(pair, waited);
  if (!over) return false;
  ++counts.failed;
  break_pair(entry_of(pair), IBV_EVENT_QP_FATAL);
  fail_oldest(pair, not_ready ? IBV_WC_RNR_RETRY_EXC_ERR : IBV_WC_RETRY_EXC_ERR);
  return true;
}

// One request. False if it has to wait.
bool try_oldest(Pair& pair) {
  QueuePair& entry = entry_of(pair);
  if (entry.state == IBV_QPS_ERR) {
    fail_oldest(pair, IBV_WC_WR_FLUSH_ERR);
    return true;
  }
  if (pair.sends.waiting_since == 0) count_towards_link_down();
  QueuePair* peer = find_peer(pair);
  if (peer == nullptr) return give_up(pair, false, 0);
  const Outcome outcome = carry_out(oldest(pair), pair, *peer);
  if (outcome.kind == Outcome::Kind::no_answer) return give_up(pair, false, 0);
  if (outcome.kind == Outcome::Kind::not_ready) return give_up(pair, true, peer->receiver_not_ready_timer);
  if (outcome.status == IBV_WC_SUCCESS) {
    succeed_oldest(pair);
  } else {
    ++counts.failed;
    break_pair(entry, IBV_EVENT_QP_FATAL);
    fail_oldest(pair, outcome.status);
  }
  return true;
}

}  // namespace

Pair* pair_with(std::uint32_t number) {
  Pair* pair = engine().pairs[number % most_queue_pairs];
  return pair != nullptr && pair->qp_num == number ? pair : nullptr;
}

void add_pair(Pair& pair) {
  engine().pairs[pair.qp_num % most_queue_pairs] = &pair;
}

void remove_pair(Pair& pair) {
  engine().pairs[pair.qp_num % most_queue_pairs] = nullptr;
  std::erase(engine().waiting, &pair);
}

void work_off(Pair& pair) {
  while (has_work(pair)) {
    if (try_oldest(pair)) continue;
    defer(pair);
    return;
  }
}

void defer(Pair& pair) {
  if (pair.waiting) return;
  pair.waiting = true;
  engine().waiting.push_back(&pair);
  wake_retrier();
}

void work_off_all() {
  Engine& all = engine();
  const std::uint32_t faults = subnet().processes[own_process()].faults;
  if (faults != all.faults_seen) {
    all.faults_seen = faults;
    for (Pair* pair : all.pairs) {
      if (pair != nullptr && entry_of(*pair).state == IBV_QPS_ERR) work_off(*pair);
    }
  }
  for (std::size_t index = 0; index != all.waiting.size();) {
    Pair& pair = *all.waiting[index];
    while (has_work(pair) && try_oldest(pair)) {
    }
    if (has_work(pair)) {
      ++index;
      continue;
    }
    pair.waiting = false;
    all.waiting.erase(all.waiting.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

bool anything_waits() {
  return !engine().waiting.empty();
}

void break_pair(QueuePair& pair, int event) {
  if (pair.state == IBV_QPS_ERR) return;
  pair.state = IBV_QPS_ERR;
  ++subnet().processes[pair.process].faults;
  flush_receives(pair);
  if (event != none) add_event(pair.faults_channel, pair.owner, event);
  if (subnet().receive_queues[pair.receives].shared) {
    add_event(pair.faults_channel, pair.owner, IBV_EVENT_QP_LAST_WQE_REACHED);
  }
}

void retire(void* object, void (*destroy)(void*)) {
  struct Retired {
    void* object;
    void (*destroy)(void*);
  };
  static std::mutex mutex;  // threads may destroy objects of their own at the same time
  const std::lock_guard hold(mutex);
  static auto* kept = new std::array<Retired, 4096>{};
  static std::size_t next = 0;
  Retired& place = (*kept)[next++ % kept->size()];
  if (place.object != nullptr) place.destroy(place.object);
  place = {object, destroy};
}

}  // namespace fabric
