// SPDX-License-Identifier: BSD-3-Clause
// What ranks have published: values under names.
#pragma once
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "launcher/job/rank_id.hpp"

struct pmix_value;

namespace bowline::launcher {

/// The processes that may read a value.
enum class Audience { process, job, everyone };

/// When a value is removed, unless it is unpublished before.
enum class Lifetime { first_read, process, job, session };

/// A value under a key.
struct Published {
  std::string key;
  std::shared_ptr<const pmix_value> value = {};
  std::string text = {};  ///< the value if `value` is empty
  RankId owner = {};      ///< the process that has published it
  Audience audience = Audience::everyone;
  Lifetime lifetime = Lifetime::session;
};

/// The published values of all jobs. Not thread-safe.
class NameStore {
 public:
  /// Keys that begin so belong to mpiexec: nobody can publish them.
  static constexpr std::string_view own_prefix = "bowline.";

  enum class Result { stored, duplicate, own_key };

  /// Stores all values, or none: not if a process that may read one of them may also read another one under its key.
  Result publish(std::vector<Published> values);
  /// The value that `reader` finds under this key; nullptr if there is none. Valid until the store changes.
  const Published* find(std::string_view key, const RankId& reader) const;
  /// Tells that `reader` has read the value: removes it if its lifetime is first_read.
  void mark_read(std::string_view key, const RankId& reader);
  /// Removes a value that a process of the job has published. Returns whether there was one.
  bool unpublish(std::string_view key, const std::string& job);
  /// Removes all values of a process.
  void unpublish_all(const RankId& owner);
  /// Removes what does not outlast the process, or the job.
  void on_process_end(const RankId& process);
  void on_job_end(const std::string& job);

  std::size_t size() const { return values_.size(); }

 private:
  std::list<Published> values_;
};

}  // namespace bowline::launcher
