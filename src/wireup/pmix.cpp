// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of a process that a PMIx server has started: srun --mpi=pmix, prterun, or Bowline's mpiexec.
#include <fmt/format.h>
#include <pmix.h>

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
