// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 3.6: buffered sends, and the buffers of the process and of communicators.
#include "api/point_to_point/buffered.hpp"

#include <cstring>
#include <optional>

#include "api/entry/request_handles.hpp"
#include "api/entry/this_process.hpp"
#include "api/point_to_point/message.hpp"
#include "api/point_to_point/requests.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "comm/origin.hpp"
#include "dtype/datatype.hpp"
#include "proto/sending/bsend_buffer.hpp"

namespace bowline::api {
using proto::BsendBuffer;

namespace {

/// Throws Error (buffer) if no buffer is attached.
void check_attached(const BsendBuffer& buffer) {
  if (!buffer.attached()) throw Error(ErrorClass::buffer, "no buffer is attached: attach one first");
}

/// Releases the lock of the communicator's lane, which the entry point has taken, for the life of the object.
class OutsideLane {
 public:
  explicit OutsideLane(comm::Communicator& comm) noexcept : lock_(comm.engine().lock()) { lock_.release(); }
  ~OutsideLane() { lock_.acquire(); }
  OutsideLane(const OutsideLane&) = delete;
  OutsideLane& operator=(const OutsideLane&) = delete;

 private:
  OwnerLock& lock_;
};

}  // namespace

// ---- on any buffer

void attach_buffer(BsendBuffer& target, void* buffer, MPI_Count size) {
  if (buffer == MPI_BUFFER_AUTOMATIC) return target.attach_automatic();
  if (buffer == nullptr && size > 0) {
    throw Error(ErrorClass::buffer,
                "buffer is a null pointer, but its size is not zero: give the address of memory, or "
                "MPI_BUFFER_AUTOMATIC");
  }
  target.attach({static_cast<std::byte*>(buffer), static_cast<std::size_t>(size)});
}

// The messages may be in any lane, so the caller must not hold a lane's lock.
void flush_buffer(BsendBuffer& buffer) {
  check_attached(buffer);
  const std::uint64_t latest = buffer.latest();
  if (buffer.left(latest)) return;
  wait_anywhere([&] { return buffer.left(latest); }, buffered_messages);
}

proto::Request& flush_request(BsendBuffer& buffer, std::uint32_t context) {
  check_attached(buffer);
  return buffer.flush_request(context);
}

// Messages that other threads put into the buffer while this call waits leave, too, before it returns the memory.
void detach_buffer(BsendBuffer& source, void* buffer_addr, MPI_Count* size) {
  std::optional<BsendBuffer::Detached> detached = source.try_detach();
  if (!detached) wait_anywhere([&] { return (detached = source.try_detach()).has_value(); }, buffered_messages);
  void* const address = detached->automatic ? MPI_BUFFER_AUTOMATIC : detached->memory.data();
  std::memcpy(buffer_addr, &address, sizeof address);
  *size = static_cast<MPI_Count>(detached->memory.size());
}

BsendBuffer& bsend_buffer_of(comm::Communicator& comm) noexcept {
  if (comm.bsend_buffer().attached()) return comm.bsend_buffer();
  const auto& origin = comm.group().origin();
  return origin != nullptr && origin->buffer.attached() ? origin->buffer : this_process().bsend_buffer();
}

void bsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
           comm::Communicator& comm) {
  if (dest == MPI_PROC_NULL) return;
  bsend_buffer_of(comm).send(comm.engine(), comm.process(dest), envelope(comm, tag, datatype),
                             view(buf, count, datatype));
}

// The user may use the data again as soon as they have been copied.
void ibsend(const void* buf, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
            comm::Communicator& comm, MPI_Request* request) {
  bsend(buf, count, datatype, dest, tag, comm);
  *request = to_handle(proto::completed_request());
}

void buffer_attach(void* buffer, MPI_Count size) {
  attach_buffer(this_process().bsend_buffer(), buffer, size);
}
void buffer_detach(void* buffer_addr, MPI_Count* size) {
  detach_buffer(this_process().bsend_buffer(), buffer_addr, size);
}
void buffer_flush() {
  flush_buffer(this_process().bsend_buffer());
}
void buffer_iflush(MPI_Request* request) {
  *request = to_handle(flush_request(this_process().bsend_buffer(), this_process().self().context()));
}

void comm_attach_buffer(comm::Communicator& comm, void* buffer, MPI_Count size) {
  attach_buffer(comm.bsend_buffer(), buffer, size);
}
void comm_detach_buffer(comm::Communicator& comm, void* buffer_addr, MPI_Count* size) {
  const OutsideLane outside(comm);
  detach_buffer(comm.bsend_buffer(), buffer_addr, size);
}
void comm_flush_buffer(comm::Communicator& comm) {
  const OutsideLane outside(comm);
  flush_buffer(comm.bsend_buffer());
}
void comm_iflush_buffer(comm::Communicator& comm, MPI_Request* request) {
  *request = to_handle(flush_request(comm.bsend_buffer(), comm.context()));
}

}  // namespace bowline::api
