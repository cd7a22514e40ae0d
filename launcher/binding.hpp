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
  std::string list;                 ///< the same in words, such as "0-3,8"
};

/// The choice for every rank, and why, in words for --verbose and --report-bindings.
struct BindingPlan {
  std::vector<Binding> ranks;
  std::string reason;
};

/// Reserves a core, known by its first CPU, for this job; false when another job has it.
using ClaimCore = std::function<bool(int first_cpu)>;

/// `threads`: how many cores a rank wants (OMP_NUM_THREADS), at least 1. Without a choice by the user, ranks get
/// cores of their own if there are enough that no other job has claimed, and there are at least two ranks: binding a
/// single process gains nothing, and stacks whatever threads it starts.
BindingPlan plan_binding(const Options& options, const Topology& topology, int threads, const ClaimCore& claim);

/// Claims that hold until this is destroyed or its process ends, however that ends; seen by all jobs of the machine
/// (of the network namespace). Owns the sockets.
class CoreClaims {
 public:
  CoreClaims() = default;
  ~CoreClaims();
  CoreClaims(const CoreClaims&) = delete;
  CoreClaims& operator=(const CoreClaims&) = delete;

  bool claim(int first_cpu);
  void release();

 private:
  std::vector<int> sockets_;
};

/// OMP_NUM_THREADS where it is a plain number above 1, else 1.
int threads_per_rank(const char* omp_num_threads);

}  // namespace bowline::launcher
