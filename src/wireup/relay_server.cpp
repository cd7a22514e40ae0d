// SPDX-License-Identifier: BSD-3-Clause
// The launcher's side of a relay: a process that is the PMIx client in a rank's place.
#include <cstdlib>
#include <exception>
#include <utility>

#include "base/error.hpp"
#include "wireup/relay.hpp"
#include "wireup/relay_message.hpp"

namespace bowline::wireup {
namespace {

ProcessId process_in(MessageReader& call, std::string& job) {
  job = call.take_text();
  return {.job = job, .rank = call.take<int>()};
}

void add_identity(MessageWriter& answer, const Identity& identity) {
  answer.add(identity.rank).add(identity.size).add_list(identity.local_ranks).add(identity.job);
  answer.add(identity.nodes).add(identity.switches);
}

class Relay {
 public:
  /// Adds the result of a call to the answer. Throws Error.
  void answer(MessageReader& call, MessageWriter& answer) {
    const auto what = call.take<RelayCall>();
    if (what == RelayCall::handshake) return connect(call, answer);
    if (wireup_ == nullptr) throw Error(ErrorClass::other, "a relay was called before it had a rank");
    std::string job;
    switch (what) {
      case RelayCall::handshake:
        break;
      case RelayCall::publish: {
        const std::string key = call.take_text();
        wireup_->publish(key, call.take_bytes());
        break;
      }
      case RelayCall::exchange:
        wireup_->exchange();
        break;
      case RelayCall::lookup: {
        const ProcessId of = process_in(call, job);
        answer.add(std::span<const std::byte>(wireup_->lookup(of, call.take_text())));
        break;
      }
      case RelayCall::ask: {
        const ProcessId of = process_in(call, job);
        wireup_->ask(of, call.take_text());
        break;
      }
      case RelayCall::answers:
        answer.add(static_cast<std::uint8_t>(wireup_->answers(process_in(call, job))));
        break;
      case RelayCall::node_of:
        answer.add(wireup_->node_of(call.take<int>()));
        break;
      case RelayCall::universe_size:
        answer.add(wireup_->universe_size());
        break;
      case RelayCall::application:
        answer.add(wireup_->application());
        break;
      case RelayCall::process_sets:
        answer.add_list(wireup_->process_sets());
        break;
      case RelayCall::members:
        answer.add_list(wireup_->members(call.take_text()));
        break;
      case RelayCall::abort:
        abort(call);
        break;
      case RelayCall::finalize:
        wireup_->finalize();
        finished_ = true;
        break;
    }
  }
  bool finished() const { return finished_; }

 private:
  void connect(MessageReader& call, MessageWriter& answer) {
    if (call.take<std::uint32_t>() != relay_protocol)
      throw Error(ErrorClass::other,
                  "mpiexec belongs to another version of Bowline, which this rank cannot use from another network "
                  "namespace; use the mpiexec that was installed with the library");
    const std::string job = call.take_text(), rank = call.take_text();
    setenv("PMIX_NAMESPACE", job.c_str(), 1);  // the server knows no other name, and nobody else knows this name
    setenv("PMIX_RANK", rank.c_str(), 1);
    wireup_ = make_pmix();
    add_identity(answer, wireup_->identity());
  }

  void abort(MessageReader& call) {
    const int status = call.take<int>();
    const std::string text = call.take_text();
    std::vector<std::pair<std::string, int>> named;
    for (auto left = call.take<std::uint64_t>(); left > 0; --left) {
      std::string job = call.take_text();
      named.emplace_back(std::move(job), call.take<int>());
    }
    std::vector<ProcessId> processes;
    processes.reserve(named.size());
    for (const auto& [job, rank] : named) processes.push_back({.job = job, .rank = rank});
    wireup_->abort(status, text, processes);
  }

  std::unique_ptr<Wireup> wireup_;
  bool finished_ = false;
};

}  // namespace

int serve_relay(int connection) noexcept {
  try {
    Relay relay;
    while (auto bytes = receive_message(connection)) {
      MessageReader call(*std::move(bytes));
      MessageWriter answer;
      answer.add(RelayAnswer::result);
      try {
        relay.answer(call, answer);
      } catch (const Error& error) {
        answer = MessageWriter();
        answer.add(RelayAnswer::error).add(std::string_view(error.what()));
      }
      if (!send_message(connection, answer.bytes())) break;
    }
    return relay.finished() ? 0 : 1;
  } catch (const std::exception&) {  // no memory
    return 1;
  }
}

}  // namespace bowline::wireup
