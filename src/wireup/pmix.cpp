// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of a process that a PMIx server has started: srun --mpi=pmix, prterun, or Bowline's mpiexec.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <map>
#include <new>
#include <span>
#include <sstream>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/keep_going.hpp"
#include "base/log.hpp"
#include "base/mpiexec_server.hpp"
#include "wireup/node_map.hpp"
#include "wireup/node_names.hpp"
#include "wireup/pmix_connection.hpp"
#include "wireup/pmix_spawn.hpp"
#include "wireup/pmix_values.hpp"
#include "wireup/rank_list.hpp"
#include "wireup/slurm_environment.hpp"
#include "wireup/srun_spawn.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {
namespace {

/// How long a rank waits for mpiexec to end it.
constexpr std::chrono::seconds patience_at_a_loss{10};

class Pmix final : public Wireup {
 public:
  Pmix() : self_(connect_pmix()) {
    job_ = process(PMIX_RANK_WILDCARD);
    identity_.rank = static_cast<int>(self_.rank);
    identity_.job = self_.nspace;
    identity_.size = read_size();
    identity_.local_ranks = read_local_ranks();
    identity_.nodes = on_one_node() ? 1 : read_number(job_, PMIX_NUM_NODES).value_or(2);
    identity_.switches = switches_above();
  }

  const Identity& identity() const override { return identity_; }

  void publish(const std::string& key, std::span<const std::byte> value) override {
    pmix_value_t holder{};
    holder.type = PMIX_BYTE_OBJECT;
    holder.data.bo.size = value.size();
    // PMIx_Put copies the data; only its C interface lacks the const.
    holder.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(value.data()));
    check(pmix_client().put(PMIX_GLOBAL, key.c_str(), &holder), "PMIx_Put");
  }

  // One commit: after it the server answers questions of other nodes about this rank; earlier questions wait for it.
  // One fence among the processes of this node, because a server does not let questions of its own ranks wait. A fence
  // of the whole job would either copy every key to every node or not synchronize: without PMIX_COLLECT_DATA, Slurm's
  // tree has a root on each node if there are fewer nodes than TreeWidth.
  void exchange() override {
    check(pmix_client().commit(), "PMIx_Commit");
    if (identity_.local_ranks.size() == 1) return;
    std::vector<pmix_proc_t> here;
    for (const int rank : identity_.local_ranks) here.push_back(process(static_cast<pmix_rank_t>(rank)));
    // If ranks run one program after the other, some may enter the fence while others still leave the previous program.
    // The server then considers the leaving ranks absent from the fence, and reports their absence to the waiting
    // ranks.
    pmix_status_t status = PMIX_ERR_PARTIAL_SUCCESS;
    while (status == PMIX_ERR_PARTIAL_SUCCESS) status = pmix_client().fence(here.data(), here.size(), nullptr, 0);
    // A rank has been lost before MPI has started in it. mpiexec --keep-going ends such a job, and says why, as soon as
    // it has seen that rank's end; an error of this rank would come before that and hide it.
    if (status == PMIX_ERR_LOST_CONNECTION && launcher_keeps_going()) std::this_thread::sleep_for(patience_at_a_loss);
    check(status, "PMIx_Fence");
  }

  std::vector<std::byte> lookup(const ProcessId& of, const std::string& key) override {
    const auto asked = asked_.find({std::string(of.job), of.rank, key});
    if (asked != asked_.end() && asked->second.is_answered()) return asked->second.answer;
    const PmixConnection connection(apart_);
    for (int left = repetitions;; --left) {
      const Value value = Value::published(process(of), key.c_str());
      if (value.status() == PMIX_SUCCESS) {
        return bytes_of(*value);
      }
      if (value.status() != PMIX_ERR_NOT_FOUND || left == 0)
        fail(value.status(), fmt::format("looking up \"{}\" of {}", key, name(of)));
    }
  }

  void ask(const ProcessId& of, const std::string& key) override {
    const auto [place, first] = asked_.try_emplace({std::string(of.job), of.rank, key});
    Question& question = place->second;
    if (!first && question.status >= 0) return;
    question.of = process(of);
    question.key = key;
    question.repetitions = repetitions;
    question.status = pending;
    if (!asking_) asking_.emplace(apart_);
    put(question);
  }

  bool answers(const ProcessId& of) override {
    if (asking_ && all_over()) asking_.reset();
    const std::string job(of.job);
    for (auto each = asked_.lower_bound({job, of.rank, ""}); each != asked_.end(); ++each) {
      if (std::get<0>(each->first) != job || std::get<1>(each->first) != of.rank) break;
      if (each->second.is_answered()) return true;
    }
    return false;
  }

  int node_of(int rank) override {
    if (on_one_node()) return 0;
    if (!map_read_) read_map();
    if (map_ && rank < map_->ranks()) return map_->node_of(rank);
    return node_by_name(rank);
  }

  // If a server was asked to start more processes than it has slots, it reports the number of slots. Slurm's reports
  // the size of the step, although spawn() may use the whole allocation.
  std::optional<int> universe_size() const override {
    if (const int cpus = under_slurm() ? allocated_cpus() : 0; cpus > 0) return std::max(cpus, identity_.size);
    const PmixConnection connection(apart_);
    const std::optional<int> room = read_number(job_, PMIX_UNIV_SIZE);
    return room ? std::optional(std::max(*room, identity_.size)) : room;
  }
  std::optional<int> application() const override {
    const PmixConnection connection(apart_);
    return read_number(self_, PMIX_APPNUM);
  }

  std::vector<std::string> process_sets() const override {
    const PmixConnection connection(apart_);
    const Answer answer(PMIX_QUERY_PSET_NAMES, nullptr);
    std::vector<std::string> names;
    if (answer.value() == nullptr || answer.value()->type != PMIX_STRING) return names;
    std::istringstream list(answer.value()->data.string);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }

  std::vector<int> members(const std::string& process_set) const override {
    const PmixConnection connection(apart_);
    const Answer answer(PMIX_QUERY_PSET_MEMBERSHIP, process_set.c_str());
    std::vector<int> ranks;
    if (answer.value() == nullptr || answer.value()->type != PMIX_DATA_ARRAY) return ranks;
    const pmix_data_array_t& list = *answer.value()->data.darray;
    if (list.type != PMIX_PROC) return ranks;
    for (const pmix_proc_t& each : std::span(static_cast<const pmix_proc_t*>(list.array), list.size)) {
      if (std::string_view(each.nspace) == self_.nspace) ranks.push_back(static_cast<int>(each.rank));
    }
    return ranks;
  }

  std::unique_ptr<SpawnedJob> spawn(std::span<const Program> programs, const std::string& port) override {
    if (std::ranges::any_of(programs, &Program::outlives) && !under_slurm() && !under_mpiexec()) {
      throw SpawnFailure(-1,
                         "the info key bowline_outlive is true, but the launcher's PMIx server cannot let processes "
                         "outlive the job that has started them: start the job with Bowline's mpiexec");
    }
    if (auto job = apart_ ? nullptr : spawn_by_pmix(programs, port)) return job;
    if (under_slurm()) return spawn_by_srun(programs, port);
    throw SpawnFailure(-1,
                       "the launcher's PMIx server starts no processes for programs: start the job with Bowline's "
                       "mpiexec");
  }
  void abort(int status, const std::string& text, std::span<const ProcessId> processes) override {
    // Slurm does not show the text to the user, and may end this process before the process could print it.
    if (under_slurm()) fmt::print(stderr, "bowline: {}\n", text);
    const PmixConnection connection(apart_);
    std::vector<pmix_proc_t> list;
    for (const ProcessId& each : processes) list.push_back(process(each));
    pmix_client().abort(status, text.c_str(), list.empty() ? nullptr : list.data(), list.size());
    if (under_slurm()) std::_Exit(status);
  }
  void finalize() override {
    if (!apart_) disconnect_pmix();
  }
  void reconnect() override {
    if (!apart_) self_ = connect_pmix();
  }
  // Slurm's server ends the step when the connection to a rank ends without PMIx_Finalize.
  bool ends_with_connections() const override { return under_slurm(); }
  void stay_apart(std::span<const int> ranks, std::span<const std::string> keys) override {
    if (!ends_with_connections() || apart_) return;
    if (!on_one_node() && !map_read_) read_map();
    for (const int rank : ranks) {
      for (const std::string& key : keys) ask({identity_.job, rank}, key);
    }
    const auto begin = std::chrono::steady_clock::now();
    while (!all_over() && std::chrono::steady_clock::now() - begin < longest_farewell)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    disconnect_pmix();
    apart_ = true;
  }

 private:
  static constexpr pmix_status_t pending = 1;  // PMIx has no status above 0
  // A PMIx 4.2.2 server under Slurm sometimes answers PMIX_ERR_NOT_FOUND to a question that arrived before the rank had
  // published, and gives the value when the same question is repeated.
  static constexpr int repetitions = 3;
  // How long stay_apart() waits for answers. A rank that does not call MPI gives none.
  static constexpr std::chrono::seconds longest_farewell{2};

  /// A question to the server in the background.
  struct Question {
    pmix_proc_t of{};
    std::string key;
    int repetitions = 0;  ///< remaining repetitions of the question
    std::vector<std::byte> answer;
    Atomic<pmix_status_t> status{pending};  ///< if not pending, the other members belong to this thread

    bool is_over() const noexcept { return status.load(std::memory_order_acquire) != pending; }
    bool is_answered() const noexcept { return status.load(std::memory_order_acquire) == PMIX_SUCCESS; }
  };

  bool all_over() const {
    return std::ranges::all_of(asked_, [](const auto& each) { return each.second.is_over(); });
  }

  static std::vector<std::byte> bytes_of(const pmix_value_t& value) {
    const auto bytes = reinterpret_cast<const std::byte*>(value.data.bo.bytes);
    return {bytes, bytes + value.data.bo.size};
  }

  static void put(Question& question) noexcept {
    const pmix_status_t status =
        pmix_client().get_nb(&question.of, question.key.c_str(), nullptr, 0, &Pmix::answered, &question);
    if (status != PMIX_SUCCESS) question.status.store(PMIX_ERROR, std::memory_order_release);
  }

  /// Called by a thread of PMIx; no exception may leave it.
  static void answered(pmix_status_t status, pmix_value_t* value, void* target) noexcept {
    Question& question = *static_cast<Question*>(target);
    if (status == PMIX_ERR_NOT_FOUND && question.repetitions-- > 0) return put(question);
    try {
      if (status == PMIX_SUCCESS) question.answer = bytes_of(*value);
    } catch (const std::bad_alloc&) {
      status = PMIX_ERR_NOMEM;
    }
    if (status == PMIX_SUCCESS) tell_of(question.of.rank);
    question.status.store(status, std::memory_order_release);
  }

  static void tell_of(pmix_rank_t rank) noexcept {
    try {
      log::info("knows where rank {} is", rank);
    } catch (const std::exception&) {  // no memory for the message
    }
  }

  bool under_slurm() const { return std::string_view(self_.nspace).starts_with("slurm.pmix."); }

  /// Whether the server is that of Bowline's mpiexec.
  bool under_mpiexec() const {
    const Value name = Value::told(self_, PMIX_SERVER_NSPACE);
    return name.status() == PMIX_SUCCESS && (*name).type == PMIX_STRING &&
           std::string_view((*name).data.string).starts_with(mpiexec_server_prefix);
  }

  pmix_proc_t process(pmix_rank_t rank) const { return pmix_process(self_.nspace, rank); }
  static pmix_proc_t process(const ProcessId& id) { return pmix_process(id.job, static_cast<pmix_rank_t>(id.rank)); }

  std::string name(const ProcessId& id) const {
    return id.job == identity_.job ? fmt::format("rank {}", id.rank) : to_text(id);
  }

  static std::optional<int> read_number(const pmix_proc_t& of, const char* key) {
    const Value value = Value::told(of, key);
    if (value.status() != PMIX_SUCCESS || (*value).type != PMIX_UINT32) return {};
    return static_cast<int>((*value).data.uint32);
  }

  int read_size() const {
    const Value value = Value::told(job_, PMIX_JOB_SIZE);
    check(value.status(), "reading the number of ranks (PMIX_JOB_SIZE)");
    return static_cast<int>((*value).data.uint32);
  }

  // If a server does not report the local peers, the rank counts as alone on its node, which is correct but slow.
  std::vector<int> read_local_ranks() const {
    const Value value = Value::told(job_, PMIX_LOCAL_PEERS);
    if (value.status() != PMIX_SUCCESS || (*value).data.string == nullptr) return {identity_.rank};
    return parse_ranks((*value).data.string);
  }

  bool on_one_node() const { return identity_.local_ranks.size() == static_cast<std::size_t>(identity_.size); }

  // Slurm answers with a map of all ranks, in the format of MPICH's launchers.
  void read_map() {
    map_read_ = true;
    const PmixConnection connection(apart_);
    const Value value = Value::told(job_, PMIX_ANL_MAP);
    if (value.status() == PMIX_SUCCESS && (*value).type == PMIX_STRING) map_.emplace((*value).data.string);
  }

  // Other servers report each rank's host and the list of hosts. They report the number of a node (PMIX_NODEID) to its
  // own ranks only, and PRRTE also counts nodes outside the job. The answers are cached, because each question needs
  // PMIx's thread and leaks some bytes.
  int node_by_name(int rank) {
    if (!names_) {
      const PmixConnection connection(apart_);
      const Value list = Value::told(job_, PMIX_NODE_LIST);
      check(list.status(), "asking for the list of nodes (PMIX_ANL_MAP, PMIX_NODE_LIST)");
      names_.emplace((*list).data.string);
      node_of_rank_.resize(static_cast<std::size_t>(identity_.size), not_asked);
    }
    int& node = node_of_rank_[static_cast<std::size_t>(rank)];
    if (node == not_asked) {
      const PmixConnection connection(apart_);
      const Value host = Value::told(process(static_cast<pmix_rank_t>(rank)), PMIX_HOSTNAME);
      check(host.status(), "asking on which node a rank runs (PMIX_ANL_MAP, PMIX_HOSTNAME)");
      node = names_->number_of((*host).data.string, rank);
    }
    return node;
  }

  pmix_proc_t self_{};
  pmix_proc_t job_{};
  Identity identity_;
  std::optional<NodeMap> map_;
  bool map_read_ = false;
  static constexpr int not_asked = -1;
  std::optional<NodeNames> names_;                                       ///< the nodes by name, if there is no map
  std::vector<int> node_of_rank_;                                        ///< from host names
  std::map<std::tuple<std::string, int, std::string>, Question> asked_;  ///< by job, rank and key
  bool apart_ = false;                                                   ///< stay_apart() was called
  std::optional<PmixConnection> asking_;                                 ///< while questions are pending
};

}  // namespace

std::unique_ptr<Wireup> make_pmix() {
  return std::make_unique<Pmix>();
}

}  // namespace bowline::wireup
