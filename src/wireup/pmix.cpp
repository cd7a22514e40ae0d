// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of a process that a PMIx server has started: srun --mpi=pmix, prterun, or Bowline's mpiexec.
#include <fmt/format.h>
#include <pmix.h>

#include <span>
#include <sstream>

#include "base/error.hpp"
#include "wireup/rank_list.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {
namespace {

[[noreturn]] void fail(pmix_status_t status, const std::string& what) {
  throw Error(ErrorClass::other,
              fmt::format("{} failed: the PMIx server answered {}", what, PMIx_Error_string(status)));
}

void check(pmix_status_t status, const char* what) {
  if (status != PMIX_SUCCESS) fail(status, what);
}

/// A value that the PMIx library allocated.
class Value {
 public:
  Value(const pmix_proc_t& proc, const char* key) { status_ = PMIx_Get(&proc, key, nullptr, 0, &value_); }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() {
    if (value_ != nullptr) PMIX_VALUE_RELEASE(value_);
  }
  pmix_status_t status() const { return status_; }
  const pmix_value_t& operator*() const { return *value_; }

 private:
  pmix_status_t status_;
  pmix_value_t* value_ = nullptr;
};

/// What the server answers to a question about process sets; nothing if it knows none.
class Answer {
 public:
  Answer(const char* question, const char* process_set) {
    pmix_query_t query;
    PMIX_QUERY_CONSTRUCT(&query);
    PMIX_ARGV_APPEND(status_, query.keys, question);
    if (process_set != nullptr) {
      PMIX_QUERY_QUALIFIERS_CREATE(&query, 1);
      PMIX_INFO_LOAD(&query.qualifiers[0], PMIX_PSET_NAME, process_set, PMIX_STRING);
    }
    status_ = PMIx_Query_info(&query, 1, &results_, &count_);
    PMIX_QUERY_DESTRUCT(&query);
  }
  ~Answer() {
    if (results_ != nullptr) PMIX_INFO_FREE(results_, count_);
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  const pmix_value_t* value() const { return status_ == PMIX_SUCCESS && count_ > 0 ? &results_[0].value : nullptr; }

 private:
  pmix_status_t status_ = PMIX_SUCCESS;
  pmix_info_t* results_ = nullptr;
  size_t count_ = 0;
};

class Pmix final : public Wireup {
 public:
  Pmix() {
    check(PMIx_Init(&self_, nullptr, 0), "PMIx_Init");
    job_ = process(PMIX_RANK_WILDCARD);
    identity_.rank = static_cast<int>(self_.rank);
    identity_.job = self_.nspace;
    identity_.size = read_size();
    identity_.local_ranks = read_local_ranks();
  }

  const Identity& identity() const override { return identity_; }

  void publish(const std::string& key, std::span<const std::byte> value) override {
    pmix_value_t holder{};
    holder.type = PMIX_BYTE_OBJECT;
    holder.data.bo.size = value.size();
    // PMIx_Put copies; its C interface only lacks the const.
    holder.data.bo.bytes = const_cast<char*>(reinterpret_cast<const char*>(value.data()));
    check(PMIx_Put(PMIX_GLOBAL, key.c_str(), &holder), "PMIx_Put");
  }

  void exchange() override {
    check(PMIx_Commit(), "PMIx_Commit");
    // Slurm's fence is a barrier only when it collects data (its tree algorithm returns early otherwise).
    pmix_info_t collect{};
    bool yes = true;
    PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
    const pmix_status_t status = PMIx_Fence(&job_, 1, &collect, 1);
    PMIX_INFO_DESTRUCT(&collect);
    check(status, "PMIx_Fence");
  }

  std::vector<std::byte> lookup(int rank, const std::string& key) override {
    const Value value(process(static_cast<pmix_rank_t>(rank)), key.c_str());
    if (value.status() != PMIX_SUCCESS) fail(value.status(), fmt::format("looking up \"{}\" of rank {}", key, rank));
    const pmix_byte_object_t& object = (*value).data.bo;
    const auto bytes = reinterpret_cast<const std::byte*>(object.bytes);
    return {bytes, bytes + object.size};
  }

  std::optional<int> universe_size() const override { return read_number(job_, PMIX_UNIV_SIZE); }
  std::optional<int> application() const override { return read_number(self_, PMIX_APPNUM); }

  std::vector<std::string> process_sets() const override {
    const Answer answer(PMIX_QUERY_PSET_NAMES, nullptr);
    std::vector<std::string> names;
    if (answer.value() == nullptr || answer.value()->type != PMIX_STRING) return names;
    std::istringstream list(answer.value()->data.string);
    for (std::string name; std::getline(list, name, ',');) names.push_back(name);
    return names;
  }

  std::vector<int> members(const std::string& process_set) const override {
    const Answer answer(PMIX_QUERY_PSET_MEMBERSHIP, process_set.c_str());
    std::vector<int> ranks;
    if (answer.value() == nullptr || answer.value()->type != PMIX_DATA_ARRAY) return ranks;
    const pmix_data_array_t& list = *answer.value()->data.darray;
    if (list.type != PMIX_PROC) return ranks;
    for (const pmix_proc_t& each : std::span(static_cast<const pmix_proc_t*>(list.array), list.size)) {
      if (PMIX_CHECK_NSPACE(each.nspace, self_.nspace)) ranks.push_back(static_cast<int>(each.rank));
    }
    return ranks;
  }

  void abort(int status, const std::string& text) override { PMIx_Abort(status, text.c_str(), nullptr, 0); }
  void finalize() override { check(PMIx_Finalize(nullptr, 0), "PMIx_Finalize"); }

 private:
  pmix_proc_t process(pmix_rank_t rank) const {
    pmix_proc_t proc{};
    PMIX_LOAD_PROCID(&proc, self_.nspace, rank);
    return proc;
  }

  static std::optional<int> read_number(const pmix_proc_t& of, const char* key) {
    const Value value(of, key);
    if (value.status() != PMIX_SUCCESS || (*value).type != PMIX_UINT32) return {};
    return static_cast<int>((*value).data.uint32);
  }

  int read_size() const {
    const Value value(job_, PMIX_JOB_SIZE);
    check(value.status(), "reading the number of ranks (PMIX_JOB_SIZE)");
    return static_cast<int>((*value).data.uint32);
  }

  // A server that does not tell the local peers leaves a rank alone on its node: correct, if slow.
  std::vector<int> read_local_ranks() const {
    const Value value(job_, PMIX_LOCAL_PEERS);
    if (value.status() != PMIX_SUCCESS || (*value).data.string == nullptr) return {identity_.rank};
    return parse_ranks((*value).data.string);
  }

  pmix_proc_t self_{};
  pmix_proc_t job_{};
  Identity identity_;
};

}  // namespace

std::unique_ptr<Wireup> make_pmix() {
  return std::make_unique<Pmix>();
}

}  // namespace bowline::wireup
