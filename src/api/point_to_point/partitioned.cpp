// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 4: partitioned point-to-point communication.
#include "proto/services/partitioned.hpp"

#include <fmt/format.h>

#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/this_process.hpp"
#include "api/point_to_point/message.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "comm/communicator.hpp"
#include "dtype/datatype.hpp"

namespace bowline::api {
namespace {

transport::Header partitioned_envelope(const comm::Communicator& comm, int source, int tag) noexcept {
  return {.context = comm.partitioned_context(), .source = source, .tag = tag};
}

void check_partitions(int partitions) {
  if (partitions < 0) {
    throw Error(ErrorClass::arg, fmt::format("partitions is {}, but a number of partitions is 0 or more", partitions));
  }
}

/// The partitioned request behind a handle. `sends`: whether it must be a send or a receive. Throws Error (request) if
/// it is not.
proto::PartitionedRequest& partitioned_of(MPI_Request handle, bool sends) {
  proto::Request& request = request_of(handle, "request");
  auto* const partitioned =
      request.role == proto::Request::Role::special
          ? dynamic_cast<proto::PartitionedRequest*>(&static_cast<proto::SpecialRequest&>(request))
          : nullptr;
  if (partitioned == nullptr || partitioned->sends() != sends) {
    throw CommError(this_process().with_context(request.context), ErrorClass::request,
                    sends ? "request is no partitioned send: give one made by MPI_Psend_init"
                          : "request is no partitioned receive: give one made by MPI_Precv_init");
  }
  return *partitioned;
}

/// Calls `action` with the sender's request under the lock of its lane.
template <class Action>
void on_sender(MPI_Request handle, Action action) {
  auto& send = static_cast<proto::PartitionedSend&>(partitioned_of(handle, true));
  const LockGuard hold(engine_of(send).lock());
  try {
    action(send);
  } catch (const Error& error) {
    throw CommError(this_process().with_context(send.context), error.error_class(), error.what());
  }
}

}  // namespace

void psend_init(const void* buf, int partitions, MPI_Count count, const dtype::Datatype& datatype, int dest, int tag,
                comm::Communicator& comm, MPI_Info, MPI_Request* request) {
  check_partitions(partitions);
  const int to = dest == MPI_PROC_NULL ? proto::no_process : comm.process(dest);
  *request = to_handle(proto::PartitionedSend::make(comm.engine(), to, partitioned_envelope(comm, comm.rank(), tag),
                                                    {partitions, view(buf, count, datatype)}));
}

void precv_init(void* buf, int partitions, MPI_Count count, const dtype::Datatype& datatype, int source, int tag,
                comm::Communicator& comm, MPI_Info, MPI_Request* request) {
  check_partitions(partitions);
  const int from = source == MPI_PROC_NULL ? proto::no_process : comm.process(source);
  *request = to_handle(proto::PartitionedReceive::make(comm.engine(), from, partitioned_envelope(comm, source, tag),
                                                       {partitions, view(buf, count, datatype)}));
}

void pready(int partition, MPI_Request request) {
  on_sender(request, [=](proto::PartitionedSend& send) {
    send.check_ready(partition);
    send.ready(partition);
  });
}

void pready_range(int partition_low, int partition_high, MPI_Request request) {
  on_sender(request, [=](proto::PartitionedSend& send) {
    send.check_partition(partition_low);
    send.check_partition(partition_high);
    for (int i = partition_low; i <= partition_high; ++i) send.check_ready(i);
    for (int i = partition_low; i <= partition_high; ++i) send.ready(i);
  });
}

void pready_list(int length, const int array_of_partitions[], MPI_Request request) {
  on_sender(request, [=](proto::PartitionedSend& send) {
    for (int i = 0; i < length; ++i) send.check_ready(array_of_partitions[i]);
    for (int i = 0; i < length; ++i) send.ready(array_of_partitions[i]);
  });
}

// A null request counts as inactive, and so as arrived (MPI-5.0, section 4.2.2).
void parrived(MPI_Request request, int partition, int* flag) {
  *flag = 1;
  if (request == MPI_REQUEST_NULL) return;
  auto& receive = static_cast<proto::PartitionedReceive&>(partitioned_of(request, false));
  proto::Engine& engine = engine_of(receive);
  const LockGuard hold(engine.lock());
  receive.check_partition(partition);
  if (!receive.arrived(partition)) engine.loop().poll();
  *flag = receive.arrived(partition) ? 1 : 0;
}

}  // namespace bowline::api
