// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of processes that nobody has launched, and that find each other at a host and port.
#include "wireup/rendezvous/rendezvous.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/this_node.hpp"
#include "base/tunable.hpp"
#include "wireup/mpiexec_spawn.hpp"
#include "wireup/rendezvous/connection.hpp"
#include "wireup/rendezvous/joining.hpp"
#include "wireup/slurm_environment.hpp"

namespace bowline::wireup {
namespace {

Tunable<int> rendezvous_timeout(TunableTraits(Category::start).for_users(), "rendezvous_timeout", 60, 1, 1000000,
                                "how long the processes of a BOWLINE_RENDEZVOUS wait for each other, in seconds");

std::chrono::seconds patience() {
  return std::chrono::seconds(rendezvous_timeout.value());
}

Arrival this_process() {
  std::array<char, 256> host{};
  if (gethostname(host.data(), host.size() - 1) != 0) host = {"localhost"};
  return {.version = BOWLINE_VERSION, .secret = {}, .node = this_node(), .host = host.data(), .process = getpid()};
}

class Rendezvous final : public Wireup {
 public:
  explicit Rendezvous(const RendezvousLine& line)
      : Rendezvous(line, join_rendezvous(line, this_process(), patience())) {}

  const Identity& identity() const override { return identity_; }
  void publish(const std::string& key, std::span<const std::byte> value) override {
    own_[key].assign(value.begin(), value.end());
  }
  void exchange() override { connection_.publish(own_); }
  std::vector<std::byte> lookup(const ProcessId& of, const std::string& key) override {
    if (!is_of_this_job(of)) {
      throw Error(ErrorClass::other, fmt::format("{} cannot be found: this process was started without a launcher that "
                                                 "knows other jobs; start it with mpiexec or srun",
                                                 to_text(of)));
    }
    const RendezvousConnection::Keys keys = of.rank == identity_.rank ? own_ : connection_.keys_of(of.rank, patience());
    const auto found = keys.find(key);
    if (found != keys.end()) return found->second;
    throw Error(ErrorClass::other, fmt::format("rank {} has published no \"{}\"", of.rank, key));
  }
  void ask(const ProcessId& of, const std::string&) override {
    if (is_of_this_job(of)) connection_.ask(of.rank);
  }
  bool answers(const ProcessId& of) override { return is_of_this_job(of) && connection_.knows(of.rank); }
  int node_of(int rank) override { return nodes_[static_cast<std::size_t>(rank)]; }
  std::optional<int> universe_size() const override { return identity_.size; }
  std::optional<int> application() const override { return {}; }
  std::vector<std::string> process_sets() const override { return {}; }
  std::vector<int> members(const std::string&) const override { return {}; }
  std::unique_ptr<SpawnedJob> spawn(std::span<const Program> programs, const std::string& port) override {
    return spawn_by_mpiexec(programs, port);
  }
  void abort(int status, const std::string& text, std::span<const ProcessId> processes) override {
    std::vector<int> ranks;
    for (const ProcessId& each : processes) {
      if (is_of_this_job(each)) ranks.push_back(each.rank);
    }
    if (processes.empty() || !ranks.empty()) connection_.abort(status, text, ranks);
  }
  void finalize() override { connection_.finalize(); }
  void reconnect() override { connection_.go_on(); }

 private:
  Rendezvous(const RendezvousLine& line, Joined joined)
      : server_(std::move(joined.server)),
        nodes_(std::move(joined.welcome.nodes)),
        connection_(std::move(joined.channel), line.place(), &Rendezvous::end) {
    identity_.rank = joined.welcome.rank;
    identity_.size = line.size;
    identity_.job = std::move(joined.welcome.job);
    identity_.nodes = 1 + *std::ranges::max_element(nodes_);
    identity_.switches = switches_above();
    identity_.local_ranks.clear();
    for (int rank = 0; rank < line.size; ++rank) {
      if (node_of(rank) == node_of(identity_.rank)) identity_.local_ranks.push_back(rank);
    }
  }
  bool is_of_this_job(const ProcessId& id) const { return id.job == identity_.job && id.rank < identity_.size; }

  /// Another rank has ended the job. Runs in the connection's thread while the program may do anything, so it ends the
  /// process at once, as a launcher would.
  static void end(int status, const std::string& text) {
    log::error("{}", text);
    std::_Exit(status);
  }

  std::unique_ptr<RendezvousServer> server_;
  std::vector<int> nodes_;  ///< by rank
  Identity identity_;
  RendezvousConnection::Keys own_;
  RendezvousConnection connection_;
};

}  // namespace

std::unique_ptr<Wireup> make_rendezvous(const RendezvousLine& line) {
  return std::make_unique<Rendezvous>(line);
}

}  // namespace bowline::wireup
