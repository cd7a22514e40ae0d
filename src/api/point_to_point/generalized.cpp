// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 13.2: generalized requests, which the user completes.
#include <fmt/format.h>

#include <utility>

#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/entry/this_process.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

/// A function of the user. `context` tells `call` which function of which language it must call.
template <class... Arguments>
struct Callback {
  int (*call)(void* context, Arguments... arguments) = nullptr;
  void* context = nullptr;

  int operator()(Arguments... arguments) const { return call(context, arguments...); }
};

using Query = Callback<void*, MPI_Status*>;
using Free = Callback<void*>;
using Cancel = Callback<void*, int>;

/// The user's C function is the context of the call.
template <class... Arguments>
Callback<Arguments...> callback(int (*function)(Arguments...)) noexcept {
  if (function == nullptr) return {};
  const auto call = [](void* context, Arguments... arguments) {
    return reinterpret_cast<int (*)(Arguments...)>(context)(arguments...);
  };
  return {call, reinterpret_cast<void*>(function)};
}

class GeneralizedRequest final : public proto::SpecialRequest {
 public:
  GeneralizedRequest(Query query, Free free, Cancel cancel, void* extra_state) noexcept
      : SpecialRequest(this_process().self().context()),
        query_(query),
        free_(free),
        cancel_(cancel),
        state_(extra_state) {
    lane_bound = false;
  }

  std::string in_words(proto::Engine&) const override { return "a generalized request"; }
  void cancel(proto::Engine&) override { check(cancel_(state_, done ? 1 : 0), "cancel_fn"); }

  /// Calls the user's query function, which fills the status.
  void before_seen() override {
    MPI_Status filled{};
    set_status(&filled, empty_status());
    const int code = query_(state_, &filled);
    status = read_status(filled);
    failure.reset();  // the query function may be called several times
    if (code != MPI_SUCCESS) note_failure(code, "query_fn");
  }
  void before_gone() override {
    const int code = std::exchange(free_, {})(state_);
    if (code == MPI_SUCCESS) return;
    failure.reset();  // the last callback's code counts (MPI-5.0, section 13.2)
    note_failure(code, "free_fn");
  }
  /// If the user has freed the handle, before_gone() has not run; an error of the free function is not reported then.
  void dispose() noexcept override {
    if (free_.call != nullptr) free_(state_);
    delete this;
  }

 private:
  static std::string sentence(int code, const char* callback) {
    return fmt::format("the generalized request's {} returned the error code {}", callback, code);
  }
  static void check(int code, const char* callback) {
    if (code != MPI_SUCCESS) throw Error(static_cast<ErrorClass>(code), sentence(code, callback));
  }
  void note_failure(int code, const char* callback) {
    fail(Error(static_cast<ErrorClass>(code), sentence(code, callback)));
  }

  Query query_;
  Free free_;  ///< empty once the function has been called
  Cancel cancel_;
  void* state_;
};

}  // namespace

void grequest_start(MPI_Grequest_query_function* query_fn, MPI_Grequest_free_function* free_fn,
                    MPI_Grequest_cancel_function* cancel_fn, void* extra_state, MPI_Request* request) {
  *request =
      to_handle(*new GeneralizedRequest(callback(query_fn), callback(free_fn), callback(cancel_fn), extra_state));
}

void grequest_complete(MPI_Request request) {
  proto::Request& completed = request_of(request, "request");
  auto* const generalized = completed.role == proto::Request::Role::special
                                ? dynamic_cast<GeneralizedRequest*>(&static_cast<proto::SpecialRequest&>(completed))
                                : nullptr;
  if (generalized == nullptr) {
    throw Error(ErrorClass::request, "request is no generalized request: give one made by MPI_Grequest_start");
  }
  proto::Engine& engine = engine_of(completed);
  const LockGuard hold(engine.lock());
  engine.complete(completed);
  this_process().lanes().wake_sleepers();
}

}  // namespace bowline::api
