// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/pmi/pmi.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <map>
#include <memory>
#include <thread>
#include <utility>

#include "base/error.hpp"
#include "wireup/environment_variable.hpp"
#include "wireup/mpiexec_spawn.hpp"
#include "wireup/pmi/pmi_nodes.hpp"
#include "wireup/pmi/pmi_store.hpp"
#include "wireup/relay_message.hpp"
#include "wireup/slurm_environment.hpp"
#include "wireup/srun_spawn.hpp"

namespace bowline::wireup {
namespace {

/// How long a rank that has asked for the end of the job waits for its own.
constexpr std::chrono::milliseconds patience_at_the_end{5000};
/// How long such a rank waits until its text has been read.
constexpr std::chrono::milliseconds patience_with_readers{500};

using Keys = std::map<std::string, std::vector<std::byte>>;

std::vector<std::byte> to_bytes(const Keys& keys) {
  MessageWriter message;
  message.add(static_cast<std::uint64_t>(keys.size()));
  for (const auto& [key, value] : keys) message.add(std::string_view(key)).add(std::span<const std::byte>(value));
  return {message.bytes().begin(), message.bytes().end()};
}

Keys from_bytes(std::vector<std::byte> bytes) {
  MessageReader message(std::move(bytes));
  Keys keys;
  for (auto left = message.take<std::uint64_t>(); left > 0; --left) {
    std::string key = message.take_text();
    keys.emplace(std::move(key), message.take_bytes());
  }
  return keys;
}

/// A launcher that hears of an abort may end before it has read the text about it from its pipe.
void await_readers_of_errors() noexcept {
  struct stat status {};
  if (fstat(STDERR_FILENO, &status) != 0 || !S_ISFIFO(status.st_mode)) return;
  const auto end = std::chrono::steady_clock::now() + patience_with_readers;
  for (int unread = 0; ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0;) {
    if (std::chrono::steady_clock::now() > end) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

/// An open connection, and who this process is.
struct Start {
  std::unique_ptr<PmiChannel> channel;
  int rank = -1;
  int size = -1;
};

/// A process that connects to PMI_PORT sends its number, PMI_ID. The server answers with the process's rank, the number
/// of ranks, and a flag for debugging, which is not used.
Start start_by_port() {
  Start made{.channel = std::make_unique<PmiChannel>(std::string(variable("PMI_PORT")))};
  made.channel->call(fmt::format("cmd=initack pmiid={}", variable("PMI_ID")), "initack");
  while (made.rank < 0 || made.size < 0) {
    const PmiLine line = made.channel->receive();
    if (line.find("rank")) made.rank = line.number("rank");
    if (line.find("size")) made.size = line.number("size");
  }
  return made;
}

/// Greets the server.
PmiChannel& greet(const Start& start) {
  if (start.rank < 0 || start.size <= start.rank) {
    throw Error(ErrorClass::other,
                fmt::format("the launcher says over PMI that this is rank {} of {} (PMI_RANK, PMI_SIZE), but a rank "
                            "must be from 0 to one less than the number of ranks",
                            start.rank, start.size));
  }
  start.channel->call("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init");
  return *start.channel;
}

class Pmi final : public Wireup {
 public:
  explicit Pmi(Start start)
      : start_(std::move(start)),
        channel_(greet(start_)),
        store_(channel_),
        nodes_(store_, start_.rank, start_.size),
        application_(ask_number("appnum", "appnum")),
        universe_size_(ask_number("universe_size", "size")) {
    identity_.rank = start_.rank;
    identity_.size = start_.size;
    identity_.local_ranks = nodes_.local_ranks(identity_.rank);
    identity_.job = "pmi-" + store_.name();
    identity_.nodes = nodes_.count();
    identity_.switches = switches_above();
  }

  const Identity& identity() const override { return identity_; }

  void publish(const std::string& key, std::span<const std::byte> value) override {
    own_[key].assign(value.begin(), value.end());
  }

  // PMI has one fence, which all ranks of the job must reach, and which carries what they have put to all nodes. So it
  // costs more with more nodes; afterwards the server on this node answers each question by itself.
  void exchange() override {
    store_.put(name_of(identity_.rank), to_bytes(own_));
    store_.sync();
  }

  std::vector<std::byte> lookup(const ProcessId& of, const std::string& key) override {
    if (!is_of_this_job(of)) {
      throw Error(ErrorClass::other, fmt::format("{} cannot be found: the launcher speaks PMI, which knows this job "
                                                 "only; start the jobs with Bowline's mpiexec, or with srun --mpi=pmix",
                                                 to_text(of)));
    }
    const Keys& keys = keys_of(of.rank);
    const auto found = keys.find(key);
    if (found != keys.end()) return found->second;
    throw Error(ErrorClass::other, fmt::format("rank {} has published no \"{}\"", of.rank, key));
  }

  // The server on this node has the answer already. If it has none, or has gone, lookup() will say so.
  void ask(const ProcessId& of, const std::string&) override {
    try {
      if (is_of_this_job(of)) keys_of(of.rank);
    } catch (const Error&) {
    }
  }
  bool answers(const ProcessId& of) override {
    return is_of_this_job(of) && (of.rank == identity_.rank || known_.contains(of.rank));
  }
  int node_of(int rank) override { return nodes_.node_of(rank); }

  std::optional<int> universe_size() const override {
    const int cpus = under_slurm() ? allocated_cpus() : 0;
    if (cpus > 0) return std::max(cpus, identity_.size);
    return universe_size_ ? std::optional(std::max(*universe_size_, identity_.size)) : universe_size_;
  }
  std::optional<int> application() const override { return application_; }
  std::vector<std::string> process_sets() const override { return {}; }
  std::vector<int> members(const std::string&) const override { return {}; }

  // PMI cannot pass the name of the port on without showing it to other users, so this library starts the processes
  // itself, as for a process without a launcher.
  std::unique_ptr<SpawnedJob> spawn(std::span<const Program> programs, const std::string& port) override {
    if (allocated_nodes() > 1 || under_slurm()) return spawn_by_srun(programs, port, under_slurm() ? "pmi2" : "pmix");
    if (identity_.nodes == 1) return spawn_by_mpiexec(programs, port);
    throw SpawnFailure(-1,
                       "this job runs on several nodes under a launcher that speaks PMI, by which this library starts "
                       "no processes: start the job with Bowline's mpiexec");
  }

  // The launcher shows no text. Another thread may wait for an answer meanwhile; a line that has none may go between.
  void abort(int status, const std::string& text, std::span<const ProcessId>) override {
    fmt::print(stderr, "bowline: {}\n", text);
    await_readers_of_errors();
    if (channel_.is_open() && channel_.tell(fmt::format("cmd=abort exitcode={}", status)))
      channel_.await_reaction(patience_at_the_end);
    std::_Exit(status);
  }

  void finalize() override {
    if (!channel_.is_open()) return;
    channel_.call("cmd=finalize", "finalize_ack");
    channel_.close();
  }

  // A server greets each process once. What has been looked up stays known.
  void reconnect() override {}

 private:
  static std::string name_of(int rank) { return fmt::format("rank-{}", rank); }
  /// Whether the launcher is srun: Hydra may start its own processes by srun, and these have Slurm's variables too.
  bool under_slurm() const { return !variable("SLURM_JOB_ID").empty() && store_.name() == variable("PMI_JOBID"); }
  bool is_of_this_job(const ProcessId& id) const {
    return id.job == identity_.job && id.rank >= 0 && id.rank < identity_.size;
  }

  /// A negative number says that the launcher does not know.
  std::optional<int> ask_number(const std::string& what, std::string_view name) {
    const PmiLine answer = channel_.ask("cmd=get_" + what, what);
    if (answer.refuses()) return {};
    const int number = answer.number(name);
    return number < 0 ? std::nullopt : std::optional(number);
  }

  const Keys& keys_of(int rank) {
    if (rank == identity_.rank) return own_;
    const auto place = known_.find(rank);
    if (place != known_.end()) return place->second;
    if (!channel_.is_open()) {
      throw Error(ErrorClass::other,
                  fmt::format("rank {} cannot be found any more: the launcher speaks PMI, whose connection has ended "
                              "with MPI_Finalize; let processes that start sessions afterwards communicate before, or "
                              "start the job with Bowline's mpiexec",
                              rank));
    }
    auto bytes = store_.get(name_of(rank));
    if (!bytes) {
      throw Error(ErrorClass::other,
                  fmt::format("rank {} has published nothing over PMI: all ranks must run programs of Bowline", rank));
    }
    return known_.emplace(rank, from_bytes(*std::move(bytes))).first->second;
  }

  Start start_;
  PmiChannel& channel_;
  PmiStore store_;
  PmiNodes nodes_;
  std::optional<int> application_;
  std::optional<int> universe_size_;
  Identity identity_;
  Keys own_;
  std::map<int, Keys> known_;  ///< by rank
};

}  // namespace

std::unique_ptr<Wireup> make_pmi() {
  if (variable("PMI_FD").empty()) return std::make_unique<Pmi>(start_by_port());
  return make_pmi(number("PMI_FD"), number("PMI_RANK"), number("PMI_SIZE"));
}

std::unique_ptr<Wireup> make_pmi(int descriptor, int rank, int size) {
  return std::make_unique<Pmi>(Start{.channel = std::make_unique<PmiChannel>(descriptor), .rank = rank, .size = size});
}

}  // namespace bowline::wireup
