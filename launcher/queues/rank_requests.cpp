// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queues/rank_requests.hpp"

#include <map>
#include <optional>
#include <utility>

#include "launcher/queues/memory_reader.hpp"
#include "launcher/queues/operation_reader.hpp"

namespace bowline::launcher {
namespace {

using State = PendingMessage::State;

/// The others are parts of the operations that `others` counts.
bool is_of_program(std::uint32_t context) noexcept {
  return static_cast<QueueRecord::Purpose>(context % QueueRecord::purposes) == QueueRecord::Purpose::point_to_point;
}

class RequestWalk {
 public:
  explicit RequestWalk(const ProcessMemory& memory) : operations_(memory) {}

  RankRequests read() {
    std::vector<std::uint64_t> engines;
    reader_.settle("the list of lanes", [&] { engines = reader_.addresses(record_.lanes); });
    for (const std::uint64_t engine : engines) {
      read_list("the list of receives", engine + record_.engine.receives, record_.receive.request, false);
      read_list("the list of sends", engine + record_.engine.sends, record_.send.request, true);
    }
    count_others();
    RankRequests all{.rank = record_.rank, .ranks = record_.ranks};
    for (auto& [context, requests] : contexts_) all.contexts.push_back(std::move(requests));
    return all;
  }

 private:
  void read_list(const char* what, std::uint64_t vector, const QueueRecord::RequestLayout& layout, bool sends) {
    std::vector<std::pair<std::uint32_t, SeenRequest>> found;
    reader_.settle(what, [&] {
      found.clear();
      for (const std::uint64_t address : reader_.addresses(vector)) {
        const ObjectCopy object = reader_.object(address, layout.bytes);
        const std::uint32_t context = operations_.context_of(object, layout);
        if (object.number(layout.mark) != layout.alive || !is_of_program(context)) continue;
        if (const auto request = request_in(address, object, layout, sends)) found.emplace_back(context, *request);
      }
    });
    for (auto& [context, request] : found) {
      request.message = operations_.complete(context, request.message);
      of(context).requests.push_back(request);
    }
  }

  std::optional<SeenRequest> request_in(std::uint64_t address, const ObjectCopy& object,
                                        const QueueRecord::RequestLayout& layout, bool is_send) const;
  void count_others();

  ContextRequests& of(std::uint32_t context) {
    const auto [place, is_new] = contexts_.try_emplace(context);
    if (is_new) static_cast<SeenContext&>(place->second) = operations_.communicators().describe(context);
    return place->second;
  }

  OperationReader operations_;
  const QueueRecord& record_ = operations_.record();
  const MemoryReader& reader_ = operations_.memory();
  std::map<std::uint32_t, ContextRequests> contexts_;
};

/// The handle as the library makes it (base/diagnosis/queue_record.hpp).
std::uint64_t handle_of(std::uint64_t address, std::uint64_t generation) noexcept {
  constexpr unsigned low = QueueRecord::low_generation_bits, high = QueueRecord::high_generation_shift;
  return address | generation % (1U << low) | generation >> low << high;
}

/// Nothing if the rank is just making the request.
std::optional<SeenRequest> RequestWalk::request_in(std::uint64_t address, const ObjectCopy& object,
                                                   const QueueRecord::RequestLayout& layout, bool is_send) const {
  SeenRequest request{.handle = handle_of(address, object.number(layout.generation)),
                      .is_send = is_send,
                      .persistent = object.number(layout.persistent) != 0,
                      .freed = object.number(layout.detached) != 0,
                      .active = object.number(layout.active) != 0,
                      .done = object.number(layout.done) != 0};
  if (is_send) {
    request.message = operations_.send_in(object);
    const bool is_under_way = request.active && !request.done;
    if (is_under_way && !operations_.is_begun(object, request.message)) return std::nullopt;
    // Of a send that does not move, the library's length is that of its last part, or not known yet.
    if (!is_under_way) request.message.bytes = operations_.bytes_in(object, layout);
    return request;
  }
  request.message = operations_.receive_in(object, State::posted);
  const bool is_posted = object.address(layout.link + record_.list.next) != 0;
  if (request.done || (request.active && !is_posted)) {
    const PendingMessage arriving = operations_.receive_in(object, State::arriving);
    request.message.matched = arriving.matched;
    if (!request.done) request.message = arriving;
  }
  return request;
}

void RequestWalk::count_others() {
  if (record_.others == 0 || record_.other_counts == 0) return;
  std::map<std::uint32_t, std::uint64_t> counts;  // by place; those that have been told are 0
  for (const auto& [context, communicator] : operations_.communicators().all()) {
    const std::uint32_t place = context / QueueRecord::purposes % QueueRecord::indices % record_.other_counts;
    if (counts.contains(place)) continue;
    reader_.settle("the number of requests", [&] {
      counts[place] = reader_.number(record_.others + std::uint64_t{place} * record_.other_bytes, record_.other_bytes);
    });
    if (counts[place] != 0) of(context).others = counts[place];
  }
}

}  // namespace

RankRequests read_requests(const ProcessMemory& memory) {
  return RequestWalk(memory).read();
}

}  // namespace bowline::launcher
