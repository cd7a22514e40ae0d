// SPDX-License-Identifier: BSD-3-Clause
// mpiexec's own standard output and error as queues that never block, however slow their reader is.
#pragma once
#include <string>
#include <string_view>

namespace bowline::launcher {

/// A queue in front of one of mpiexec's own streams. Not thread-safe.
class Sink {
 public:
  /// Past this many waiting bytes the ranks' pipes are no longer read, so that the ranks wait for the consumer.
  static constexpr size_t capacity = size_t{1} << 20;

  /// Does not own `fd`, and leaves its flags alone: others share its file description.
  explicit Sink(int fd);
  ~Sink();
  Sink(const Sink&) = delete;
  Sink& operator=(const Sink&) = delete;

  std::string& queue() { return queue_; }
  /// Writes what the consumer takes now.
  void flush();
  bool empty() const { return written_ == queue_.size(); }
  bool full() const { return queue_.size() - written_ >= capacity; }
  size_t waiting() const { return queue_.size() - written_; }
  /// The consumer has gone; what is queued is discarded.
  bool broken() const { return broken_; }
  int fd() const { return fd_; }

 private:
  ssize_t write_some(std::string_view bytes);

  enum class Kind { file, socket, reopened, careful };
  int fd_;
  Kind kind_;
  bool owned_ = false;
  bool broken_ = false;
  std::string queue_;
  size_t written_ = 0;
};

}  // namespace bowline::launcher
