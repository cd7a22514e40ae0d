// SPDX-License-Identifier: BSD-3-Clause
// See pmix_requests.hpp.
#include "launcher/spawn/pmix_requests.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>

#include "launcher/job/pmix_server_library.hpp"
#include "wireup/pmix_structures.hpp"

namespace bowline::launcher {
namespace {

using Work = std::function<void()>;

void run_work(pmix_status_t, void* kept) {
  const std::unique_ptr<Work> work(static_cast<Work*>(kept));
  (*work)();
}

/// Runs `work` on PMIx's thread. PMIx has no call for that alone, but it calls back there after
/// PMIx_server_register_resources(), which is called here with an empty list.
void on_pmix_thread(Work work) {
  auto kept = std::make_unique<Work>(std::move(work));
  if (pmix_server().register_resources(nullptr, 0, run_work, kept.get()) == PMIX_SUCCESS)
    static_cast<void>(kept.release());
}

pmix_status_t status_of(Answer::Status status) {
  switch (status) {
    case Answer::Status::success:
      return PMIX_SUCCESS;
    case Answer::Status::not_found:
      return PMIX_ERR_NOT_FOUND;
    case Answer::Status::timed_out:
      return PMIX_ERR_TIMEOUT;
    case Answer::Status::duplicate_key:
      return PMIX_ERR_DUPLICATE_KEY;
    case Answer::Status::not_permitted:
      return PMIX_ERR_NO_PERMISSIONS;
    case Answer::Status::no_program:
      return PMIX_ERR_JOB_EXE_NOT_FOUND;
    case Answer::Status::no_place:
      return PMIX_ERR_JOB_FAILED_TO_MAP;
    case Answer::Status::cannot_start:
      break;
  }
  return PMIX_ERR_JOB_FAILED_TO_LAUNCH;
}

/// The answer to a request that has no result but its status.
std::function<void(Answer)> status_answer(pmix_op_cbfunc_t done, void* context) {
  return [done, context](const Answer& answer) {
    on_pmix_thread([done, context, status = status_of(answer.status)] { done(status, context); });
  };
}

bool is_true(const pmix_value_t& value) {
  if (value.type == PMIX_STRING) {
    constexpr std::array<std::string_view, 3> words{"true", "1", "yes"};
    return value.data.string != nullptr && std::ranges::find(words, value.data.string) != words.end();
  }
  return value.type == PMIX_UNDEF || (value.type == PMIX_BOOL && value.data.flag);
}

int number_of(const pmix_value_t& value) {
  switch (value.type) {
    case PMIX_INT:
      return value.data.integer;
    case PMIX_INT32:
      return value.data.int32;
    case PMIX_UINT32:
      return static_cast<int>(value.data.uint32);
    case PMIX_SIZE:
      return static_cast<int>(value.data.size);
    default:
      return 0;
  }
}

std::vector<std::string> texts_of(char* const* list) {
  std::vector<std::string> result;
  for (; list != nullptr && *list != nullptr; ++list) result.emplace_back(*list);
  return result;
}

void add_keys(std::span<const pmix_info_t> info, std::map<std::string, std::string>& keys, SpawnRequest& request) {
  for (const pmix_info_t& each : info) {
    if (std::string_view(each.key) == spawn_outlive_key)
      request.outlives = is_true(each.value);
    else if (each.value.type != PMIX_STRING || each.value.data.string == nullptr)
      continue;
    else if (std::string_view(each.key) == spawn_token_key)
      request.token = each.value.data.string;
    else
      keys[each.key] = each.value.data.string;
  }
}

std::shared_ptr<const pmix_value_t> copy_of(const pmix_value_t& value) {
  const std::shared_ptr<pmix_value_t> copy(new pmix_value_t{}, [](pmix_value_t* each) {
    wireup::clear(*each);
    delete each;
  });
  if (pmix_server().value_xfer(copy.get(), &value) != PMIX_SUCCESS) throw std::bad_alloc();
  return copy;
}

Audience audience_of(pmix_data_range_t range) {
  if (range == PMIX_RANGE_PROC_LOCAL) return Audience::process;
  return range == PMIX_RANGE_NAMESPACE ? Audience::job : Audience::everyone;
}

Lifetime lifetime_of(pmix_persistence_t persistence) {
  switch (persistence) {
    case PMIX_PERSIST_FIRST_READ:
      return Lifetime::first_read;
    case PMIX_PERSIST_PROC:
      return Lifetime::process;
    case PMIX_PERSIST_APP:
      return Lifetime::job;
    default:
      return Lifetime::session;
  }
}

/// What a lookup has found, in PMIx's form. Owns the values.
class FoundData {
 public:
  explicit FoundData(const std::vector<Published>& found) : data_(found.size()) {
    for (std::size_t i = 0; i < found.size(); ++i) {
      data_[i].proc = wireup::pmix_process(found[i].owner.job, static_cast<pmix_rank_t>(found[i].owner.rank));
      wireup::set_text(data_[i].key, found[i].key);
      if (found[i].value)
        static_cast<void>(pmix_server().value_xfer(&data_[i].value, found[i].value.get()));
      else
        static_cast<void>(pmix_server().value_load(&data_[i].value, found[i].text.c_str(), PMIX_STRING));
    }
  }
  ~FoundData() {
    for (pmix_pdata_t& each : data_) wireup::clear(each.value);
  }
  FoundData(const FoundData&) = delete;
  FoundData& operator=(const FoundData&) = delete;

  pmix_pdata_t* data() { return data_.data(); }
  std::size_t size() const { return data_.size(); }

 private:
  std::vector<pmix_pdata_t> data_;
};

}  // namespace

RankRequest spawn_request(RankId of, std::span<const pmix_info_t> info, std::span<const pmix_app_t> apps,
                          pmix_spawn_cbfunc_t done, void* context) {
  SpawnRequest request;
  std::map<std::string, std::string> common;
  add_keys(info, common, request);
  for (const pmix_app_t& app : apps) {
    std::vector<std::string> words = texts_of(app.argv);
    if (app.cmd != nullptr && words.empty()) words.emplace_back(app.cmd);
    SpawnApp& added = request.apps.emplace_back();
    added.program = app.cmd != nullptr ? app.cmd : words.empty() ? "" : words[0];
    if (!words.empty()) added.arguments.assign(words.begin() + 1, words.end());
    added.environment = texts_of(app.env);
    added.wdir = app.cwd == nullptr ? "" : app.cwd;
    added.ranks = app.maxprocs;
    added.keys = common;
    add_keys(std::span(app.info, app.info == nullptr ? 0 : app.ninfo), added.keys, request);
  }
  return {.of = std::move(of), .what = std::move(request), .answer = [done, context](const Answer& answer) {
            on_pmix_thread([done, context, answer] {
              std::string name = answer.job;
              done(status_of(answer.status), name.empty() ? nullptr : name.data(), context);
            });
          }};
}

RankRequest publish_request(RankId of, std::span<const pmix_info_t> info, pmix_op_cbfunc_t done, void* context) {
  Audience audience = Audience::everyone;
  Lifetime lifetime = Lifetime::session;
  PublishRequest request;
  for (const pmix_info_t& each : info) {
    const std::string_view key = each.key;
    if (key == PMIX_RANGE)
      audience = audience_of(each.value.data.range);
    else if (key == PMIX_PERSISTENCE)
      lifetime = lifetime_of(each.value.data.persist);
    else if (!key.starts_with("pmix."))  // PMIx's own, such as the user id
      request.values.push_back({.key = std::string(key), .value = copy_of(each.value), .owner = of});
  }
  for (Published& value : request.values) {
    value.audience = audience;
    value.lifetime = lifetime;
  }
  return {.of = std::move(of), .what = std::move(request), .answer = status_answer(done, context)};
}

RankRequest lookup_request(RankId of, char* const* keys, std::span<const pmix_info_t> info, pmix_lookup_cbfunc_t done,
                           void* context) {
  LookupRequest request{.keys = texts_of(keys), .timeout = {}};
  for (const pmix_info_t& each : info) {
    const std::string_view key = each.key;
    if (key == PMIX_WAIT) {
      const int number = number_of(each.value);
      request.awaited =
          number > 0 ? std::min(static_cast<std::size_t>(number), request.keys.size()) : request.keys.size();
    } else if (key == PMIX_TIMEOUT && number_of(each.value) > 0) {
      request.timeout = std::chrono::seconds(number_of(each.value));
    }
  }
  return {.of = std::move(of), .what = std::move(request), .answer = [done, context](const Answer& answer) {
            on_pmix_thread([done, context, answer] {
              FoundData found(answer.found);
              done(status_of(answer.status), found.data(), found.size(), context);
            });
          }};
}

RankRequest unpublish_request(RankId of, char* const* keys, pmix_op_cbfunc_t done, void* context) {
  return {
      .of = std::move(of), .what = UnpublishRequest{.keys = texts_of(keys)}, .answer = status_answer(done, context)};
}

}  // namespace bowline::launcher
