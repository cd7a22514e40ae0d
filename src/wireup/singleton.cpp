// SPDX-License-Identifier: BSD-3-Clause
// The wire-up of a process that was started without a launcher: a job of one rank.
#include <fmt/format.h>
#include <unistd.h>

#include <map>

#include "base/error.hpp"
#include "base/random_source.hpp"
#include "wireup/mpiexec_spawn.hpp"
#include "wireup/slurm_environment.hpp"
#include "wireup/srun_spawn.hpp"
#include "wireup/wireup.hpp"

namespace bowline::wireup {
namespace {

class Singleton final : public Wireup {
 public:
  /// Jobs on other nodes may have the same process number.
  Singleton() {
    const RandomSource random;
    identity_.job = fmt::format("singleton-{}-{:08x}{:08x}", getpid(), random(), random());
  }

  const Identity& identity() const override { return identity_; }
  void publish(const std::string& key, std::span<const std::byte> value) override {
    published_[key].assign(value.begin(), value.end());
  }
  void exchange() override {}
  std::vector<std::byte> lookup(const ProcessId& of, const std::string& key) override {
    const auto found = published_.find(key);
    if (of.job != identity_.job || of.rank != 0 || found == published_.end()) {
      throw Error(ErrorClass::other,
                  of.job == identity_.job
                      ? fmt::format("rank {} has published no \"{}\": this job has one rank, 0", of.rank, key)
                      : fmt::format("{} cannot be found: this process was started without a launcher that knows other "
                                    "jobs; start it with mpiexec or srun",
                                    to_text(of)));
    }
    return found->second;
  }
  void ask(const ProcessId&, const std::string&) override {}
  bool answers(const ProcessId& of) override { return of.job == identity_.job; }
  int node_of(int) override { return 0; }
  std::optional<int> universe_size() const override { return {}; }
  std::optional<int> application() const override { return {}; }
  std::vector<std::string> process_sets() const override { return {}; }
  std::vector<int> members(const std::string&) const override { return {}; }
  std::unique_ptr<SpawnedJob> spawn(std::span<const Program> programs, const std::string& port) override {
    // There mpiexec would become an srun that ends neither with this process nor by itself.
    if (allocated_nodes() > 1) return spawn_by_srun(programs, port);
    return spawn_by_mpiexec(programs, port);
  }
  void abort(int, const std::string&, std::span<const ProcessId>) override {}
  void finalize() override {}
  void reconnect() override {}

 private:
  Identity identity_;
  std::map<std::string, std::vector<std::byte>> published_;
};

}  // namespace

std::unique_ptr<Wireup> make_singleton() {
  return std::make_unique<Singleton>();
}

}  // namespace bowline::wireup
