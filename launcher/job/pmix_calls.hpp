// SPDX-License-Identifier: BSD-3-Clause
// PMIx's C interface in C++: checked statuses, functions that call back, and lists of attributes.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

#include "launcher/job/pmix_server_library.hpp"

namespace bowline::launcher {

/// Throws LaunchError if the function of PMIx with this name has failed.
void check_pmix(pmix_status_t status, const char* call);

/// Waits for callbacks on PMIx's thread. The callbacks share the latch's state, so the state still exists for callbacks
/// that run after an error has been thrown.
class PmixLatch {
 public:
  /// `call` passes the two arguments to a function of PMIx, which calls back only if it returns PMIX_SUCCESS.
  template <class Call>
  void start(const char* name, const Call& call) {
    auto kept = std::make_unique<std::shared_ptr<State>>(state_);
    count(1);
    const pmix_status_t status = call(&PmixLatch::done, kept.get());
    if (status == PMIX_SUCCESS) {
      static_cast<void>(kept.release());  // done() owns the state now, and may have deleted it already
      return;
    }
    count(-1);
    check_pmix(status, name);
  }
  void wait(const char* what) {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [this] { return state_->open == 0; });
    check_pmix(state_->failure, what);
  }

 private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    int open = 0;
    pmix_status_t failure = PMIX_SUCCESS;
  };

  void count(int change) {
    const std::lock_guard lock(state_->mutex);
    state_->open += change;
  }
  static void done(pmix_status_t status, void* kept) noexcept {
    const std::unique_ptr<std::shared_ptr<State>> owner(static_cast<std::shared_ptr<State>*>(kept));
    State& state = **owner;
    const std::lock_guard lock(state.mutex);
    if (status != PMIX_SUCCESS) state.failure = status;
    --state.open;
    state.changed.notify_one();
  }

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

/// A growing list of attributes, which PMIx copies. Owns what it contains.
class PmixInfoList {
 public:
  PmixInfoList() : list_(pmix_server().info_list_start()) {}
  ~PmixInfoList() { pmix_server().info_list_release(list_); }
  PmixInfoList(const PmixInfoList&) = delete;
  PmixInfoList& operator=(const PmixInfoList&) = delete;

  void add(const char* key, const std::string& value) { add(key, value.c_str(), PMIX_STRING); }
  void add(const char* key, uint32_t value) { add(key, &value, PMIX_UINT32); }
  void add(const char* key, uint16_t value) { add(key, &value, PMIX_UINT16); }
  void add(const char* key, bool value) { add(key, &value, PMIX_BOOL); }
  void add_rank(const char* key, pmix_rank_t value) { add(key, &value, PMIX_PROC_RANK); }
  void add(const char* key, const PmixInfoList& list) {
    pmix_data_array_t array = list.array();
    add(key, &array, PMIX_DATA_ARRAY);
    pmix_server().data_array_destruct(&array);
  }
  void add(const char* key, const void* value, pmix_data_type_t type) {
    check_pmix(pmix_server().info_list_add(list_, key, value, type), "PMIx_Info_list_add");
  }
  /// The caller destructs the result.
  pmix_data_array_t array() const {
    pmix_data_array_t array{};
    check_pmix(pmix_server().info_list_convert(list_, &array), "PMIx_Info_list_convert");
    return array;
  }

 private:
  void* list_;
};

}  // namespace bowline::launcher
