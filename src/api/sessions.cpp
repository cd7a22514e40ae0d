// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 11.3: sessions. So far their life, their error handler and their buffer for buffered sends.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "api/buffered.hpp"
#include "api/check.hpp"
#include "api/errors.hpp"
#include "api/handles.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

struct Session {
  explicit Session(comm::ErrorHandler& handler) noexcept : error_handler(handler) {}
  comm::AttachedHandler error_handler;
  proto::BsendBuffer buffer;
};

/// The sessions that have not been finalized. A handle is looked up here, because what it points to may be gone.
class Sessions {
 public:
  Session& add(comm::ErrorHandler& handler) {
    const std::lock_guard hold(mutex_);
    return *all_.emplace_back(std::make_unique<Session>(handler));
  }
  void remove(const Session& session) {
    const std::lock_guard hold(mutex_);
    std::erase_if(all_, [&](const auto& each) { return each.get() == &session; });
  }
  /// nullptr if the handle is none.
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
  static auto* const all = new Sessions;  // not destroyed by exit(): a program may end while it has sessions
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

/// Has errors of what `action` does go to the session's error handler.
template <class Action>
void in_session(Session& session, Action action) {
  try {
    action(session.buffer);
  } catch (const Error& error) {
    throw HandlerError(session.error_handler.get(), Sessions::to_handle(session), error.error_class(), error.what());
  }
}

}  // namespace

// Which thread level and which memory a session wants is said by info objects, which do not exist yet: every session
// gets MPI_THREAD_MULTIPLE, unless MPI_Init has chosen before.
void session_init(MPI_Info, comm::ErrorHandler& errhandler, MPI_Session* session) {
  check::fits(errhandler, comm::ErrorHandler::Kind::session, "a session");
  try {
    runtime().start_session();
  } catch (const Error& error) {
    throw HandlerError(errhandler.share(), MPI_SESSION_NULL, error.error_class(), error.what());
  }
  *session = Sessions::to_handle(sessions().add(errhandler));
}

void session_finalize(MPI_Session* session) {
  Session& ended = session_of(*session);
  in_session(ended, [](proto::BsendBuffer& buffer) {
    if (buffer.attached() && runtime().running()) flush_buffer(buffer);
  });
  sessions().remove(ended);
  runtime().end_session();
  *session = MPI_SESSION_NULL;
}

void session_set_errhandler(MPI_Session session, comm::ErrorHandler& errhandler) {
  Session& target = session_of(session);
  check::fits(errhandler, comm::ErrorHandler::Kind::session, "a session");
  target.error_handler.set(errhandler);
}

void session_get_errhandler(MPI_Session session, MPI_Errhandler* errhandler) {
  *errhandler = errhandler_handle(*session_of(session).error_handler.get());
}

void session_call_errhandler(MPI_Session session, int errorcode) {
  const auto handler = session_of(session).error_handler.get();
  raise_error(*handler, static_cast<void*>(&session), errorcode, called_text("MPI_Session_call_errhandler", errorcode));
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
    if (!runtime().running()) {
      throw Error(ErrorClass::other,
                  "MPI has ended, and this session started after it: a request could not be waited for; call "
                  "MPI_Session_flush_buffer");
    }
    *request = to_handle(flush_request(buffer, runtime().self().context()));
  });
}

}  // namespace bowline::api
