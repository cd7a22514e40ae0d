// SPDX-License-Identifier: BSD-3-Clause
#include "api/files/data_access.hpp"

#include <fmt/format.h>

#include <memory>
#include <optional>
#include <utility>

#include "api/entry/raising.hpp"
#include "api/entry/request_handles.hpp"
#include "api/entry/status_values.hpp"
#include "api/entry/validators.hpp"
#include "api/files/file_request.hpp"
#include "api/files/split.hpp"
#include "base/error.hpp"
#include "coll/calls/drive.hpp"
#include "mpiio/collective/joint_access.hpp"
#include "mpiio/file/file_transfer.hpp"
#include "mpiio/file/together.hpp"
#include "proto/engine.hpp"

namespace bowline::api {
namespace {

using At = Start::At;

/// Throws Error unless the access mode of the file allows the access.
void check_mode(const mpiio::File& file, Direction direction, Start start) {
  if (direction == Direction::read && file.has_mode(mpiio::mode::wronly)) {
    throw Error(ErrorClass::access,
                fmt::format("{} was opened with MPI_MODE_WRONLY, which allows no reading", file.name()));
  }
  if (direction == Direction::write && !file.writable()) {
    throw Error(ErrorClass::read_only,
                fmt::format("{} was opened with MPI_MODE_RDONLY, which allows no writing", file.name()));
  }
  const bool by_shared_pointer = start.at == At::shared || start.at == At::ordered;
  if (!by_shared_pointer && file.has_mode(mpiio::mode::sequential)) {
    throw Error(ErrorClass::unsupported_operation,
                fmt::format("{} was opened with MPI_MODE_SEQUENTIAL, which allows accesses by the shared file pointer "
                            "only",
                            file.name()));
  }
  if (start.at == At::offset && start.offset < 0)
    throw Error(ErrorClass::arg, fmt::format("offset is {}, but it must be 0 or more", start.offset));
}

/// The access, placed by an explicit offset or a file pointer. Throws Error if the arguments are wrong.
std::unique_ptr<mpiio::FileTransfer> make_transfer(mpiio::File& file, Direction direction, Start start,
                                                   const UserBuffer& buffer) {
  check_mode(file, direction, start);
  check::count(buffer.count, "count");
  const dtype::Datatype& type = buffer.type != nullptr ? *buffer.type : check::committed(buffer.handle, "datatype");
  check::buffer(buffer.address, buffer.count, type, "buf");
  auto* const memory = static_cast<std::byte*>(const_cast<void*>(buffer.address));  // a write only reads the buffer
  auto transfer = std::make_unique<mpiio::FileTransfer>(
      file, direction == Direction::write, proto::Buffer{memory, static_cast<std::size_t>(buffer.count), &type});
  switch (start.at) {
    case At::offset:
      transfer->begin_at(start.offset);
      break;
    case At::individual:
      transfer->begin_at(file.advance_pointer(transfer->etypes()));
      break;
    case At::shared:
      transfer->begin_at(file.shared_pointer().add(transfer->etypes()));
      break;
    case At::ordered:
      break;  // known when all have told their lengths
  }
  return transfer;
}

void set_moved(MPI_Status* status, const mpiio::FileTransfer* transfer) {
  proto::Status done = empty_status();
  if (transfer != nullptr) done.bytes = transfer->moved();
  set_status(status, done);
}

struct JointArguments {
  std::unique_ptr<mpiio::FileTransfer> transfer;
  std::optional<Error> refused;
};

JointArguments joint_arguments(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer,
                               const char* function) {
  JointArguments made;
  made.refused = mpiio::attempt([&] {
    refuse_during_split(file, function);
    made.transfer = make_transfer(file, direction, start, buffer);
  });
  return made;
}

FileRequest& start_joint(mpiio::File& file, Direction direction, Start start, JointArguments arguments) {
  const LockGuard lane(file.comm().engine().lock());
  return FileRequest::begin_joint(file, direction == Direction::write, start.at == At::ordered,
                                  std::move(arguments.transfer), std::move(arguments.refused));
}

}  // namespace

void access(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, MPI_Status* status) {
  const auto transfer = make_transfer(file, direction, start, buffer);
  transfer->run();
  set_moved(status, transfer.get());
  transfer->check();
}

void start_access(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, MPI_Request* request) {
  auto transfer = make_transfer(file, direction, start, buffer);
  const LockGuard lane(file.comm().engine().lock());
  *request = to_handle(FileRequest::begin(file, std::move(transfer)));
}

void access_all(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, MPI_Status* status) {
  JointArguments arguments = joint_arguments(file, direction, start, buffer, "another collective access");
  coll::Team& team = file.comm().team();
  const LockGuard lane(team.engine.lock());
  mpiio::JointAccess joint(file, direction == Direction::write, true);
  joint.ordered = start.at == At::ordered;
  joint.transfer = arguments.transfer.get();
  joint.failure = std::move(arguments.refused);
  coll::TeamChannel channel(team, team.blocking.next_tag(), team.next_id(coll::CallKind::file_access()),
                            coll::SequenceSource::of_one_thread);
  Task task = mpiio::access_jointly(channel, joint);
  task.start();
  team.engine.wait_until([&] { return task.done(); }, channel.awaiting(), Awaited::several);
  set_moved(status, joint.transfer);
  if (joint.failure) throw Error(*joint.failure);
}

void start_access_all(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer,
                      MPI_Request* request) {
  JointArguments arguments = joint_arguments(file, direction, start, buffer, "another collective access");
  *request = to_handle(start_joint(file, direction, start, std::move(arguments)));
}

// ---- split accesses

void refuse_during_split(mpiio::File& file, const char* function) {
  if (file.split().request == nullptr) return;
  throw Error(ErrorClass::io,
              fmt::format("{} has begun a split collective access to {}, which does not allow {} before "
                          "it ends",
                          file.split().function, file.name(), function));
}

void begin_split(mpiio::File& file, Direction direction, Start start, const UserBuffer& buffer, const char* function) {
  const bool second = file.split().request != nullptr;
  JointArguments arguments = joint_arguments(file, direction, start, buffer, function);
  FileRequest& request = start_joint(file, direction, start, std::move(arguments));
  if (!second) {
    file.split() = {&request, buffer.address, function};
    return;
  }
  // The call fails in all processes, and the access that has begun goes on.
  const LockGuard lane(file.comm().engine().lock());
  file.comm().engine().wait(request);
  const Error failure = *request.failure;
  file.comm().engine().retire(request);
  throw Error(failure);
}

void end_split(mpiio::File& file, const void* buffer, const char* function, MPI_Status* status) {
  mpiio::File::Split& split = file.split();
  if (split.request == nullptr) {
    throw Error(ErrorClass::io,
                fmt::format("no split collective access to {} has begun that {} could end", file.name(), function));
  }
  if (split.buffer != buffer) {
    throw Error(ErrorClass::arg, fmt::format("buf is not the buffer with which {} has begun the access: it must be the "
                                             "same",
                                             split.function));
  }
  proto::Request& request = *std::exchange(split.request, nullptr);
  const LockGuard lane(file.comm().engine().lock());
  file.comm().engine().wait(request);
  set_status(status, request.status);
  std::optional<Error> failure;
  if (request.failure != nullptr) failure = *request.failure;
  file.comm().engine().retire(request);
  if (failure) throw Error(*failure);
}

void finish_split(mpiio::File& file) {
  if (file.split().request == nullptr) return;
  end_split(file, file.split().buffer, "MPI_File_close", MPI_STATUS_IGNORE);
}

}  // namespace bowline::api
