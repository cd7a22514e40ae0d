// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 11.3: start and end of sessions, their process sets, error handlers and buffers.
#include "api/environment/sessions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/entry/errhandler_handles.hpp"
#include "api/entry/group_handles.hpp"
#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/this_process.hpp"
#include "api/entry/validators.hpp"
#include "api/environment/errors.hpp"
#include "api/environment/info_handles.hpp"
#include "api/environment/process_sets.hpp"
#include "api/point_to_point/buffered.hpp"
#include "base/error.hpp"
#include "base/handle_numbers.hpp"
#include "bodies.hpp"
#include "comm/origin.hpp"

namespace bowline::api {
namespace {

struct Session {
  Session(comm::ErrorHandler& handler, int level) : error_handler(handler), thread_level(level) {}
  comm::AttachedHandler error_handler;
  int thread_level;
  std::shared_ptr<comm::Origin> origin = std::make_shared<comm::Origin>();
};

/// The sessions that have not been finalized. A handle is looked up before it is dereferenced, because its session may
/// have been finalized.
class Sessions {
 public:
  Session& add(comm::ErrorHandler& handler, int thread_level) {
    const std::lock_guard hold(mutex_);
    return *all_.emplace_back(std::make_unique<Session>(handler, thread_level));
  }
  void remove(const Session& session) {
    const std::lock_guard hold(mutex_);
    std::erase_if(all_, [&](const auto& each) { return each.get() == &session; });
  }
  /// nullptr if the handle is invalid.
  Session* find(MPI_Session handle) {
    const std::lock_guard hold(mutex_);
    const auto found = std::ranges::find_if(all_, [&](const auto& each) { return to_handle(*each) == handle; });
    return found == all_.end() ? nullptr : found->get();
  }
  static MPI_Session to_handle(Session& session) noexcept { return reinterpret_cast<MPI_Session>(&session); }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Session>> all_;
};

Sessions& sessions() {
  static auto* const all =
      new Sessions;  // never destroyed, not even by exit(): a program may end while it has sessions
  return *all;
}

Session& session_of(MPI_Session handle) {
  if (Session* const session = sessions().find(handle)) return *session;
  if (handle == MPI_SESSION_NULL) {
    throw Error(ErrorClass::session, "session is MPI_SESSION_NULL: give a session made by MPI_Session_init");
  }
  throw Error(ErrorClass::session, fmt::format("session is {}, which is no session: it was finalized, never set, or is "
                                               "another kind of handle",
                                               fmt::ptr(static_cast<const void*>(handle))));
}

struct Level {
  const char* name;
  int value;
};
constexpr Level levels[] = {{"MPI_THREAD_SINGLE", MPI_THREAD_SINGLE},
                            {"MPI_THREAD_FUNNELED", MPI_THREAD_FUNNELED},
                            {"MPI_THREAD_SERIALIZED", MPI_THREAD_SERIALIZED},
                            {"MPI_THREAD_MULTIPLE", MPI_THREAD_MULTIPLE}};

/// The thread level that the hints ask for; the highest if they ask for none.
int wanted_level(const Info& hints) {
  const std::string* const name = hints.find("thread_level");
  if (name == nullptr) return MPI_THREAD_MULTIPLE;
  const auto found = std::ranges::find_if(levels, [&](const Level& level) { return *name == level.name; });
  if (found == std::end(levels)) {
    throw Error(ErrorClass::info_value, fmt::format("info has the thread_level \"{}\", but it must be one of "
                                                    "MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED and "
                                                    "MPI_THREAD_MULTIPLE",
                                                    *name));
  }
  return found->value;
}

/// Calls `action`; errors of `action` go to the session's error handler.
template <class Action>
void in_session(Session& session, Action action) {
  try {
    action(session.origin->buffer);
  } catch (const Error& error) {
    throw HandlerError(session.error_handler.get(), Sessions::to_handle(session), error.error_class(), error.what());
  }
}

}  // namespace

bool is_session(MPI_Session handle) {
  return sessions().find(handle) != nullptr;
}

void session_init(MPI_Info info, comm::ErrorHandler& errhandler, MPI_Session* session) {
  check::fits(errhandler, comm::ErrorHandler::Handles::session, "a session");
  const int wanted = wanted_level(*hints_of(info));
  this_process().start_session();
  const int level = std::min(wanted, this_process().thread_level());
  try {
    *session = Sessions::to_handle(sessions().add(errhandler, level));
  } catch (...) {
    this_process().end_session();
    throw;
  }
}

void session_finalize(MPI_Session* session) {
  Session& ended = session_of(*session);
  in_session(ended, [](proto::BsendBuffer& buffer) {
    if (buffer.attached()) flush_buffer(buffer);
  });
  handle_numbers().forget(handle_value(*session));
  sessions().remove(ended);
  this_process().end_session();
  *session = MPI_SESSION_NULL;
}

void session_set_errhandler(MPI_Session session, comm::ErrorHandler& errhandler) {
  Session& target = session_of(session);
  check::fits(errhandler, comm::ErrorHandler::Handles::session, "a session");
  target.error_handler.set(errhandler);
}

void session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  *errhandler = errhandler_handle(*session_of(session).error_handler.get());
}

void session_call_errhandler(MPI_Session session, int errorcode) {
  throw HandlerCall(session_of(session).error_handler.get(), session, static_cast<ErrorClass>(errorcode),
                    called_text("MPI_Session_call_errhandler", errorcode));
}

void session_get_info(MPI_Session session, MPI_Info* info_used) {
  const int level = session_of(session).thread_level;
  Info info;
  info.set("thread_level", std::ranges::find(levels, level, &Level::value)->name);
  add_memory_kinds(info);
  *info_used = info_handle(std::move(info));
}

void session_get_num_psets(MPI_Session session, MPI_Info, int* npset_names) {
  session_of(session);
  *npset_names = static_cast<int>(process_sets().size());
}

// If the buffer has length 0, only the length is stored.
void session_get_nth_pset(MPI_Session session, MPI_Info, int n, int* pset_len, char* pset_name) {
  in_session(session_of(session), [=](proto::BsendBuffer&) {
    const std::vector<std::string> names = process_sets();
    if (n < 0 || static_cast<std::size_t>(n) >= names.size()) {
      throw Error(ErrorClass::arg,
                  fmt::format("n is {}, but there are {} process sets, counted from 0", n, names.size()));
    }
    const std::string& name = names[static_cast<std::size_t>(n)];
    if (*pset_len > 0) {
      check::pointer(pset_name, "pset_name");
      const std::size_t length = std::min(name.size(), static_cast<std::size_t>(*pset_len) - 1);
      std::memcpy(pset_name, name.data(), length);
      pset_name[length] = '\0';
    }
    *pset_len = static_cast<int>(name.size()) + 1;
  });
}

void session_get_pset_info(MPI_Session session, const char* pset_name, MPI_Info* info) {
  in_session(session_of(session), [=](proto::BsendBuffer&) {
    Info result;
    result.set("mpi_size", std::to_string(members_of_set(pset_name).size()));
    *info = info_handle(std::move(result));
  });
}

void group_from_session_pset(MPI_Session session, const char* pset_name, MPI_Group* newgroup) {
  *newgroup = MPI_GROUP_NULL;
  Session& of = session_of(session);
  in_session(of, [&](proto::BsendBuffer&) { *newgroup = group_handle(members_of_set(pset_name).from(of.origin)); });
}

void session_attach_buffer(MPI_Session session, void* buffer, MPI_Count size) {
  in_session(session_of(session), [=](proto::BsendBuffer& target) { attach_buffer(target, buffer, size); });
}

void session_detach_buffer(MPI_Session session, void* buffer_addr, MPI_Count* size) {
  in_session(session_of(session), [=](proto::BsendBuffer& source) { detach_buffer(source, buffer_addr, size); });
}

void session_flush_buffer(MPI_Session session) {
  in_session(session_of(session), flush_buffer);
}

void session_iflush_buffer(MPI_Session session, MPI_Request* request) {
  in_session(session_of(session), [=](proto::BsendBuffer& buffer) {
    *request = to_handle(flush_request(buffer, this_process().self().context()));
  });
}

}  // namespace bowline::api
