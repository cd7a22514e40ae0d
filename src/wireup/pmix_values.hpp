// SPDX-License-Identifier: BSD-3-Clause
// Answers of the PMIx library, in memory that it has allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdlib>
#include <span>
#include <string>

#include "wireup/pmix_structures.hpp"

namespace bowline::wireup {

/// A value of a key.
class Value {
 public:
  /// What the server has sent about a job or a rank at the start. The server is not asked again: it knows no more, and
  /// PRRTE does not answer while a question about another rank is pending.
  static Value told(const pmix_proc_t& of, const char* key) {
    pmix_info_t here{};
    load(here, PMIX_OPTIONAL, nullptr, PMIX_BOOL);
    return {of, key, &here, 1};
  }
  /// What a rank has published; asks the server if necessary.
  static Value published(const pmix_proc_t& by, const char* key) { return {by, key, nullptr, 0}; }
  Value(const Value&) = delete;
  Value& operator=(const Value&) = delete;
  ~Value() {
    if (value_ == nullptr) return;
    clear(*value_);
    std::free(value_);
  }
  pmix_status_t status() const { return status_; }
  const pmix_value_t& operator*() const { return *value_; }

 private:
  Value(const pmix_proc_t& proc, const char* key, const pmix_info_t* how, size_t directives) {
    status_ = pmix_client().get(&proc, key, how, directives, &value_);
  }

  pmix_status_t status_;
  pmix_value_t* value_ = nullptr;
};

/// The server's answer about process sets; empty if it knows none.
class Answer {
 public:
  Answer(const char* question, const char* process_set) {
    std::string key = question;
    std::array<char*, 2> keys{key.data(), nullptr};
    pmix_info_t which{};
    pmix_query_t query{};
    query.keys = keys.data();
    if (process_set != nullptr) {
      load(which, PMIX_PSET_NAME, process_set, PMIX_STRING);
      query.qualifiers = &which;
      query.nqual = 1;
    }
    status_ = pmix_client().query_info(&query, 1, &results_, &count_);
    clear(which.value);
  }
  ~Answer() {
    if (results_ == nullptr) return;
    for (pmix_info_t& each : std::span(results_, count_)) clear(each.value);
    std::free(results_);
  }
  Answer(const Answer&) = delete;
  Answer& operator=(const Answer&) = delete;

  const pmix_value_t* value() const { return status_ == PMIX_SUCCESS && count_ > 0 ? &results_[0].value : nullptr; }

 private:
  pmix_status_t status_ = PMIX_SUCCESS;
  pmix_info_t* results_ = nullptr;
  size_t count_ = 0;
};

}  // namespace bowline::wireup
