// SPDX-License-Identifier: BSD-3-Clause
#include "api/files/file_request.hpp"

#include <fmt/format.h>

#include <utility>

#include "mpiio/async/workers.hpp"
#include "mpiio/file/together.hpp"
#include "proto/progress_thread.hpp"

namespace bowline::api {
namespace {

// Up to this number of bytes moving the data takes no longer than waking a thread.
constexpr std::size_t moved_at_once = 32 << 10;

}  // namespace

FileRequest::FileRequest(mpiio::File& file, bool writes, std::unique_ptr<mpiio::FileTransfer> transfer)
    : SpecialRequest(file.comm().context()),
      Work(file.comm().engine()),
      file_(file),
      writes_(writes),
      transfer_(std::move(transfer)) {}

FileRequest& FileRequest::begin(mpiio::File& file, std::unique_ptr<mpiio::FileTransfer> transfer) {
  const bool writes = transfer->writes();
  FileRequest& request = *new FileRequest(file, writes, std::move(transfer));
  file.pending().fetch_add(1);
  request.go();
  return request;
}

FileRequest& FileRequest::begin_joint(mpiio::File& file, bool writes, bool ordered,
                                      std::unique_ptr<mpiio::FileTransfer> transfer, std::optional<Error> refused) {
  coll::Team& team = file.comm().team();
  const std::int32_t tag = team.nonblocking.next_tag();
  const coll::CallId id = team.next_id(coll::CallKind::file_access());
  FileRequest& request = *new FileRequest(file, writes, std::move(transfer));
  mpiio::JointAccess& joint = request.joint_.emplace(file, writes, false);
  joint.ordered = ordered;
  joint.transfer = request.transfer_.get();
  joint.failure = std::move(refused);
  request.go_jointly(tag, id);
  return request;
}

std::string FileRequest::in_words(proto::Engine&) const {
  return fmt::format("a non-blocking {}{} {}", joint_ ? "collective " : "", writes_ ? "write to" : "read from",
                     file_.comm().name());
}

// ---- one process alone

void FileRequest::execute() noexcept {
  failure_ = mpiio::attempt([this] {
    transfer_->run();
    transfer_->check();
  });
}

void FileRequest::go() {
  if (transfer_->bytes() <= moved_at_once && !file_.atomic()) {
    execute();
    return end(failure_);
  }
  if (transfer_->simple()) {
    run_.emplace(file_.comm().engine(), file_.storage());
    run_->set(writes_, transfer_->first_offset(), transfer_->run_of_memory(), &file_.board());
    run_->start();
    await_run(*this);
  } else {
    mpiio::Workers::here().start(*this);
    await_work(*this);
  }
  if (!done) proto::ProgressThread::operation_begun();
}

Background FileRequest::await_work(FileRequest& self) {
  auto finished = self.mpiio::Work::end();
  co_await finished;
  self.end(self.failure_);
}

Background FileRequest::await_run(FileRequest& self) {
  auto finished = self.run_->end();
  co_await finished;
  self.transfer_->end(self.run_->outcome());
  self.end(mpiio::attempt([&] { self.transfer_->check(); }));
}

// ---- all processes

void FileRequest::go_jointly(std::int32_t tag, coll::CallId id) {
  channel_.emplace(file_.comm().team(), tag, id, coll::SequenceSource::of_many);
  channel_->begin_at_once(false);
  await_others(*this, mpiio::access_jointly(*channel_, *joint_));
  if (!done) proto::ProgressThread::operation_begun();
}

Background FileRequest::await_others(FileRequest& self, Task task) {
  co_await task;
  task = {};
  self.channel_->close_slots();
  self.end(self.joint_->failure);
}

void FileRequest::end(const std::optional<Error>& error) noexcept {
  if (transfer_ != nullptr) status.bytes = transfer_->moved();
  if (error) fail(*error);
  if (!joint_) file_.pending().fetch_sub(1);
  file_.comm().engine().complete(*this);
}

}  // namespace bowline::api
