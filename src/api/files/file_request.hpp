// SPDX-License-Identifier: BSD-3-Clause
// FileRequest: a non-blocking access to a file, by one process or by all together.
#pragma once

#include <optional>
#include <string>

#include "base/task.hpp"
#include "coll/calls/team_channel.hpp"
#include "mpiio/async/run_work.hpp"
#include "mpiio/async/work.hpp"
#include "mpiio/collective/joint_access.hpp"
#include "mpiio/file/file.hpp"
#include "mpiio/file/file_transfer.hpp"
#include "proto/engine.hpp"
#include "proto/request.hpp"

namespace bowline::api {

/// Keeps the file's communicator and the buffer's datatype alive. Made and used under the lock of the file's lane.
class FileRequest final : public proto::SpecialRequest, private mpiio::Work {
 public:
  /// Starts an access whose place is known. The request deletes itself when the user has completed it.
  static FileRequest& begin(mpiio::File& file, std::unique_ptr<mpiio::FileTransfer> transfer);
  /// Starts this process's part in a collective access. `refused`: why this process takes part without data; there is
  /// no transfer then.
  static FileRequest& begin_joint(mpiio::File& file, bool writes, bool ordered,
                                  std::unique_ptr<mpiio::FileTransfer> transfer, std::optional<Error> refused);

  std::string in_words(proto::Engine&) const override;
  const char* bound() const noexcept override {
    return joint_ ? "a non-blocking collective access to a file" : nullptr;
  }

 private:
  FileRequest(mpiio::File& file, bool writes, std::unique_ptr<mpiio::FileTransfer> transfer);
  ~FileRequest() override = default;

  void execute() noexcept override;
  void go();
  void go_jointly(std::int32_t tag, coll::CallId id);
  static Background await_work(FileRequest& self);
  static Background await_run(FileRequest& self);
  static Background await_others(FileRequest& self, Task task);
  void end(const std::optional<Error>& error) noexcept;

  mpiio::File& file_;
  bool writes_;
  std::unique_ptr<mpiio::FileTransfer> transfer_;
  std::optional<Error> failure_;
  std::optional<mpiio::RunWork> run_;
  std::optional<mpiio::JointAccess> joint_;
  std::optional<coll::TeamChannel> channel_;
};

}  // namespace bowline::api
