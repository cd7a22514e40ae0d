// SPDX-License-Identifier: BSD-3-Clause
// The rank's side of a relay.
#include "wireup/relay.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <utility>

#include "base/error.hpp"
#include "wireup/relay_message.hpp"

namespace bowline::wireup {
namespace {

std::string text_of(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

Identity take_identity(MessageReader answer) {
  Identity identity;
  identity.rank = answer.take<int>();
  identity.size = answer.take<int>();
  identity.local_ranks = answer.take_numbers();
  identity.job = answer.take_text();
  identity.nodes = answer.take<int>();
  identity.switches = answer.take_text();
  return identity;
}

class Relayed final : public Wireup {
 public:
  explicit Relayed(const JobFolderTicket& folder) : folder_(folder) { reconnect(); }
  ~Relayed() override { disconnect(); }
  Relayed(const Relayed&) = delete;
  Relayed& operator=(const Relayed&) = delete;

  const Identity& identity() const override { return identity_; }
  void publish(const std::string& key, std::span<const std::byte> value) override {
    call(MessageWriter().add(RelayCall::publish).add(key).add(value));
  }
  void exchange() override { call(MessageWriter().add(RelayCall::exchange)); }
  std::vector<std::byte> lookup(const ProcessId& of, const std::string& key) override {
    return call(MessageWriter().add(RelayCall::lookup).add(of.job).add(of.rank).add(key)).take_bytes();
  }
  void ask(const ProcessId& of, const std::string& key) override {
    call(MessageWriter().add(RelayCall::ask).add(of.job).add(of.rank).add(key));
  }
  bool answers(const ProcessId& of) override {
    return call(MessageWriter().add(RelayCall::answers).add(of.job).add(of.rank)).take<std::uint8_t>() != 0;
  }
  int node_of(int rank) override { return call(MessageWriter().add(RelayCall::node_of).add(rank)).take<int>(); }
  std::optional<int> universe_size() const override {
    return call(MessageWriter().add(RelayCall::universe_size)).take_optional();
  }
  std::optional<int> application() const override {
    return call(MessageWriter().add(RelayCall::application)).take_optional();
  }
  std::vector<std::string> process_sets() const override {
    return call(MessageWriter().add(RelayCall::process_sets)).take_texts();
  }
  std::vector<int> members(const std::string& process_set) const override {
    return call(MessageWriter().add(RelayCall::members).add(process_set)).take_numbers();
  }
  std::unique_ptr<SpawnedJob> spawn(std::span<const Program>, const std::string&) override {
    throw SpawnFailure(-1,
                       "this process runs in a network namespace of its own, away from its launcher, and starts no "
                       "processes from there: start the job in one network namespace");
  }
  void abort(int status, const std::string& text, std::span<const ProcessId> processes) override {
    MessageWriter message;
    message.add(RelayCall::abort).add(status).add(text).add(static_cast<std::uint64_t>(processes.size()));
    for (const ProcessId& each : processes) message.add(each.job).add(each.rank);
    call(message);
  }
  void finalize() override {
    call(MessageWriter().add(RelayCall::finalize));
    disconnect();
  }
  /// mpiexec starts a relay for each connection.
  void reconnect() override {
    connection_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_in_folder(folder_.descriptor, relay_socket);
    if (connection_ < 0 || connect(connection_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      const int error = errno;
      disconnect();
      throw Error(ErrorClass::other,
                  fmt::format("this rank is in another network namespace than mpiexec, and cannot reach it through its "
                              "folder ({}): {}; start the ranks in mpiexec's network namespace",
                              JobFolderTicket::variable, std::strerror(error)));
    }
    identity_ = take_identity(call(MessageWriter()
                                       .add(RelayCall::handshake)
                                       .add(relay_protocol)
                                       .add(text_of("PMIX_NAMESPACE"))
                                       .add(text_of("PMIX_RANK"))));
  }

 private:
  void disconnect() noexcept {
    if (connection_ >= 0) close(std::exchange(connection_, -1));
  }
  /// Waits for the answer; returns what follows its first byte. Throws the relay's error.
  MessageReader call(const MessageWriter& message) const {
    const std::lock_guard hold(mutex_);
    std::optional<std::vector<std::byte>> bytes;
    if (send_message(connection_, message.bytes())) bytes = receive_message(connection_);
    if (!bytes) throw Error(ErrorClass::other, "the relay to the PMIx server has ended: mpiexec may have ended");
    MessageReader answer(*std::move(bytes));
    if (answer.take<RelayAnswer>() == RelayAnswer::error) throw Error(ErrorClass::other, answer.take_text());
    return answer;
  }

  const JobFolderTicket folder_;
  int connection_ = -1;
  mutable std::mutex mutex_;
  Identity identity_;
};

}  // namespace

std::optional<JobFolderTicket> relay_is_needed() noexcept {
  const auto folder = job_folder();
  const std::uint64_t own = network_namespace();
  if (!folder || folder->network == 0 || own == 0 || folder->network == own) return {};
  return folder;
}

std::unique_ptr<Wireup> make_relayed(const JobFolderTicket& folder) {
  return std::make_unique<Relayed>(folder);
}

}  // namespace bowline::wireup
