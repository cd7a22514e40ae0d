// SPDX-License-Identifier: BSD-3-Clause
#include "launcher/queue_library/pages.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <string_view>

#include "launcher/queue_library/debugger_memory.hpp"
#include "launcher/queues/queue_error.hpp"
#include "launcher/queues/queue_walk.hpp"
#include "launcher/queues/rank_pages.hpp"

namespace bowline::launcher {
namespace {

template <class Read>
RankName name_of(const Read& read, std::int64_t process) {
  return {.number = read.rank, .ranks = read.ranks, .process = static_cast<pid_t>(process)};
}

std::string page(std::string_view what, const ProcessMemory& memory, std::int64_t process) {
  if (what == "queues") {
    const MessageQueues queues = read_queues(memory);
    return queues_page(name_of(queues, process), queues);
  }
  if (what == "comms") {
    const RankCommunicators communicators = read_communicators(memory);
    return communicators_page(name_of(communicators, process), communicators);
  }
  if (what != "requests") throw QueueError("there is no page {}: it is queues, comms or requests", what);
  const RankRequests requests = read_requests(memory);
  return requests_page(name_of(requests, process), requests);
}

}  // namespace
}  // namespace bowline::launcher

extern "C" const char* bowline_queue_page_1(const char* what, std::uint64_t record, std::int64_t process,
                                            BowlineRead* read, int* status) {
  using namespace bowline::launcher;
  static std::string text;
  *status = 1;
  try {
    const std::string name = process == 0 ? std::string("the process") : fmt::format("process {}", process);
    const DebuggerMemory memory(name, record, [read](std::uint64_t address, std::size_t bytes, void* into) {
      return read(address, bytes, into) != 0;
    });
    text = page(what, memory, process);
    *status = 0;
  } catch (const std::exception& error) {
    text = error.what();
  }
  return text.c_str();
}
