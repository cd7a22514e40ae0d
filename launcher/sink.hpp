// SPDX-License-Identifier: BSD-3-Clause
// mpiexec's own standard output and error as queues that never block, however slowly their consumer reads.
#pragma once
#include <string>
#include <string_view>

namespace bowline::launcher {

/// A queue in front of one of mpiexec's own streams. Not thread-safe.
class Sink {
 public:
  /// Bytes. If more are waiting, mpiexec stops reading the ranks' pipes, so that the ranks wait for the consumer
  /// (back-pressure).
  static constexpr size_t capacity = size_t{1} << 20;

  /// Does not own `fd`, and does not change its flags, because other processes share its file description.
  explicit Sink(int fd);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  std::string& queue() { return queue_; }
  /// Writes as much as the consumer takes without blocking.
  void flush();
  bool empty() const { return written_ == queue_.size(); }
  bool full() const { return queue_.size() - written_ >= capacity; }
  size_t waiting() const { return queue_.size() - written_; }
  /// The error of a write that has failed, such as EPIPE (the consumer has gone) or ENOSPC; 0: no write has failed.
  /// After a failure the bytes in the queue are discarded.
  int error() const { return error_; }
  int fd() const { return fd_; }

 private:
  ssize_t write_some(std::string_view bytes);

  enum class Kind { file, socket, reopened, careful };
  int fd_;
  Kind kind_;
  bool owned_ = false;
  int error_ = 0;
  std::string queue_;
  size_t written_ = 0;
};

}  // namespace bowline::launcher
