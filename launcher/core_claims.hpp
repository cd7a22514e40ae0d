// SPDX-License-Identifier: BSD-3-Clause
// Which cores a job has for its ranks alone.
#pragma once
#include <map>
#include <set>
#include <span>
#include <vector>

#include "launcher/binding.hpp"

namespace bowline::launcher {

/// The first CPUs of the cores that the jobs of one mpiexec have.
using UsedCores = std::multiset<int>;

/// One job's claims on cores. The claims hold until this object is destroyed or its process ends in any way, and all
/// jobs of the machine (of the network namespace) see them. Owns the sockets.
class CoreClaims {
 public:
  CoreClaims() = default;
  /// `used`, which must outlive this object: cores that cannot be claimed.
  explicit CoreClaims(UsedCores& used) : used_(&used) {}
  ~CoreClaims();
  CoreClaims(const CoreClaims&) = delete;
  CoreClaims& operator=(const CoreClaims&) = delete;

  bool claim(int first_cpu);
  /// Adds the cores to which the job's ranks are bound to the used ones: those that it has claimed, and those that it
  /// has tried to claim, as the user has chosen them although another mpiexec has them.
  void use(const BindingPlan& plan);
  void release();
  /// Releases the cores on which only the lost rank has run: the job does not need them any more. `others`: where its
  /// living ranks run. Returns whether there are such cores.
  bool release_cores_of(const Binding& lost, std::span<const Binding* const> others, const Topology& topology);

 private:
  bool release_core(int first_cpu);

  std::map<int, int> sockets_;    ///< by first CPUs
  std::vector<int> tried_, own_;  ///< first CPUs
  UsedCores* used_ = nullptr;
};

}  // namespace bowline::launcher
