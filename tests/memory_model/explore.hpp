// SPDX-License-Identifier: BSD-3-Clause
// Runs a model in as many orders as its bounds allow, and says which.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ostream>
#include <typeinfo>

#include "base/atomic.hpp"

namespace bowline::model {

/// A model: its threads execute `Model::run(index)`. Its constructor runs before.
template <class Model, int threads>
struct Suite : rl::test_suite<Model, threads> {
  Suite() { forget_first_sight = &nobody_has_seen<threads>; }
  virtual ~Suite() = default;
  void thread(unsigned index) {
    words.threads_run = true;
    static_cast<Model*>(this)->run(index);
  }

  Words words;
};

/// Memory that needs an order between a write and a read by another thread.
template <class T>
class Plain {
 public:
  void set(T value) { value_(RL_INFO).store(value); }
  T get() { return value_(RL_INFO).load(); }

 private:
  rl::var<T> value_;
};

/// Bounds of a search. Relacy prints the order that fails; a stream that allocates memory could not take it, because
/// the model has a heap of its own.
inline rl::test_params bounds(rl::scheduler_type_e search) {
  static std::ostream nowhere(nullptr);
  rl::test_params made;
  made.search_type = search;
  made.execution_depth_limit = 20'000;
  made.progress_stream = &nowhere;
  return made;
}

/// How many times as many random orders to try as in ./check: the environment variable MODEL_EFFORT.
inline std::uint64_t effort() {
  const char* const given = std::getenv("MODEL_EFFORT");
  return given == nullptr ? 1 : std::strtoull(given, nullptr, 10);
}

/// Whether no order within the bounds fails. An order that fails runs once more, to print its history: what
/// rl::simulate() does, which would compile each model for all searches. Relacy does not destroy a model that fails.
template <template <rl::thread_id_t> class Search, class Model>
bool holds(rl::test_params& bounds) {
  using Scheduler = Search<Model::params::thread_count>;
  bounds.test_name = typeid(Model).name();
  rl::ostringstream state, again;
  const bool held = rl::run_test<Model, Scheduler>(bounds, state, false) == rl::test_result_success;
  Words::here = nullptr;
  if (!held) {
    bounds.initial_state = bounds.final_state = state.str();
    bounds.collect_history = true;
    rl::run_test<Model, Scheduler>(bounds, again, true);
    Words::here = nullptr;
  }
  return held;
}

template <template <rl::thread_id_t> class Search, class Model>
void run(rl::test_params bounds, const char* how) {
  const bool held = holds<Search, Model>(bounds);
  std::printf("%s: %llu orders, %s\n", bounds.test_name.c_str(), static_cast<unsigned long long>(bounds.stop_iteration),
              how);
  EXPECT_TRUE(held) << "in order " << bounds.stop_iteration;
}

/// Random orders. Relacy derives them from the number of the run, so a failure comes again.
template <class Model>
void explore(std::uint64_t runs) {
  rl::test_params random = bounds(rl::sched_random);
  random.iteration_count = runs * effort();
  run<rl::random_scheduler, Model>(random, "at random");
}

/// Shows that the model fails in one of these random orders, so that what the model leaves out is needed.
template <class Model>
void expect_failure(std::uint64_t runs) {
  static std::ostream nowhere(nullptr);
  rl::test_params random = bounds(rl::sched_random);
  random.iteration_count = runs * effort();
  random.output_stream = &nowhere;
  EXPECT_FALSE((holds<rl::random_scheduler, Model>(random))) << "in " << random.iteration_count << " orders";
  std::printf("%s: fails in order %llu, as expected\n", random.test_name.c_str(),
              static_cast<unsigned long long>(random.stop_iteration));
}

/// All orders: for models of a few accesses.
template <class Model>
void explore_all() {
  run<rl::full_search_scheduler, Model>(bounds(rl::sched_full), "all that there are");
}

/// All orders with at most this many switches to a thread that does not wait for another one.
template <class Model>
void explore_switches(unsigned most) {
  rl::test_params bounded = bounds(rl::sched_bound);
  bounded.context_bound = most;
  run<rl::context_bound_scheduler, Model>(bounded, "all with few switches of threads");
}

}  // namespace bowline::model
