// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 3.9: persistent sends and receives, and starting them.
#include <fmt/format.h>

#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/entry/this_process.hpp"
#include "api/point_to_point/message.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

using proto::Mode;

/// A persistent operation with MPI_PROC_NULL: completes as soon as it starts.
class Nothing final : public proto::SpecialRequest {
 public:
  Nothing(std::uint32_t context, const proto::Status& end) noexcept : SpecialRequest(context), end_(end) {
    persistent = true;
    active = false;
    done = true;
  }
  void start(proto::Engine&) override {
    status = end_;
    done = true;
  }

 private:
  proto::Status end_;
};

/// A persistent buffered send: a round is completed when the message has been copied.
class BufferedSend final : public proto::SpecialRequest {
 public:
  BufferedSend(transport::Header header, int to, const proto::Buffer& message) noexcept
      : SpecialRequest(header.context), header_(header), to_(to), message_(message) {
    persistent = true;
    active = false;
    done = true;
  }
  void start(proto::Engine& engine) override {
    try {
      // Looked up in each round, because the user may have freed the communicator.
      bsend_buffer_of(this_process().with_context(context)).send(engine, to_, header_, message_);
    } catch (const Error&) {
      active = false;
      done = true;
      throw;
    }
    done = true;
  }

 private:
  transport::Header header_;
  int to_;
  proto::Buffer message_;
};

MPI_Request make_send(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                      comm::Communicator& comm, Mode mode) {
  if (dest == MPI_PROC_NULL) return to_handle(*new Nothing(comm.context(), {}));
  return to_handle(
      comm.engine().make_send(comm.process(dest), envelope(comm, tag, datatype), view(buf, count, datatype), mode));
}

/// The request behind a handle that is to be started; throws Error unless it is persistent and idle.
proto::Request& startable(MPI_Request handle, const char* name, int index = -1) {
  proto::Request& request = request_of(handle, name, index);
  if (request.persistent && !request.active) return request;
  const std::string which = index < 0 ? name : fmt::format("{}[{}]", name, index);
  throw CommError(
      this_process().with_context(request.context), ErrorClass::request,
      fmt::format("{} cannot be started: {}", which,
                  request.persistent ? "it is active already, wait for it first"
                                     : "it is not persistent (MPI_Send_init and its kin make persistent requests)"));
}

void start_one(proto::Request& request) {
  proto::Engine& engine = engine_of(request);
  const LockGuard hold(engine.lock());
  try {
    engine.start(request);
    proto::ProgressThread::operation_begun();
  } catch (const Error& error) {
    throw CommError(this_process().with_context(request.context), error.error_class(), error.what());
  }
}

}  // namespace

void send_init(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
               comm::Communicator& comm, MPI_Request* request) {
  *request = make_send(buf, count, datatype, dest, tag, comm, standard_mode());
}

void ssend_init(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                comm::Communicator& comm, MPI_Request* request) {
  *request = make_send(buf, count, datatype, dest, tag, comm, Mode::synchronous);
}

void rsend_init(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                comm::Communicator& comm, MPI_Request* request) {
  *request = make_send(buf, count, datatype, dest, tag, comm, Mode::standard);
}

void bsend_init(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                comm::Communicator& comm, MPI_Request* request) {
  if (dest == MPI_PROC_NULL) {
    *request = to_handle(*new Nothing(comm.context(), {}));
  } else {
    *request = to_handle(*new BufferedSend(envelope(comm, tag), comm.process(dest), view(buf, count, datatype)));
  }
}

void recv_init(void* buf, MPI_Count count, const dtype::Datatype& datatype, int source, int tag,
               comm::Communicator& comm, MPI_Request* request) {
  if (source == MPI_PROC_NULL) {
    *request = to_handle(*new Nothing(comm.context(), no_process_status()));
  } else {
    *request = to_handle(comm.engine().make_receive({comm.context(), source, tag}, view(buf, count, datatype)));
  }
}

void start(MPI_Request* request) {
  start_one(startable(*request, "request"));
}

void startall(int count, MPI_Request array_of_requests[]) {
  for (int i = 0; i < count; ++i) startable(array_of_requests[i], "array_of_requests", i);
  for (int i = 0; i < count; ++i) start_one(checked_request(array_of_requests[i]));
}

}  // namespace bowline::api
