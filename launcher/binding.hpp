// SPDX-License-Identifier: BSD-3-Clause
// Which cores each rank may run on.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "launcher/host_topology.hpp"
#include "launcher/job_options.hpp"

namespace bowline::launcher {

struct Binding {
  std::vector<unsigned long> mask;  ///< for sched_setaffinity; empty: wherever mpiexec itself may run
  std::string list;                 ///< the CPUs as a list, such as "0-3,8"
};

/// The binding of every rank, and the reason, in words for --verbose and --report-bindings.
struct BindingPlan {
  std::vector<Binding> ranks;
  std::string reason;
};

/// Reserves a core, identified by its first CPU, for this job; false if another job has it.
using ClaimCore = std::function<bool(int first_cpu)>;

/// `threads`: number of cores for each rank (OMP_NUM_THREADS), at least 1. If the user has not chosen a binding, each
/// rank gets cores of its own, provided that there are at least two ranks and enough cores that no other job has
/// claimed. Binding a single process gains nothing, and puts all its threads on the same cores.
/// `is_unused`: whether no other job of this mpiexec has a core; a spawned job that the user binds gets such cores
/// where it can claim none.
BindingPlan plan_binding(const Options& options, const Topology& topology, int threads, const ClaimCore& claim,
                         const ClaimCore& is_unused = {});

/// The first number of OMP_NUM_THREADS if it is above 1, otherwise 1.
int threads_per_rank(const char* omp_num_threads);

}  // namespace bowline::launcher
