// SPDX-License-Identifier: BSD-3-Clause
// What ranks write: from their streams to mpiexec's own output, or to files of theirs.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <utility>

#include "launcher/job/job.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

namespace {

// Silence after which an unfinished line is taken for a prompt.
constexpr std::chrono::milliseconds prompt_delay{100};

}  // namespace

/// Whether anything was read.
bool JobRunner::read_stream(Stream& stream) {
  char buffer[1 << 16];
  const ssize_t size = read_channel(stream.fd, buffer);
  if (size <= 0) {
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) finish_stream(stream);
    return false;
  }
  const std::string_view bytes(buffer, static_cast<size_t>(size));
  if (stream.file_fd >= 0) write_file(stream, bytes);
  if (stream.sink == nullptr) return true;
  if (stream.sink->error() != 0) {
    // The rank gets the signal that a write to a pipe would have caused, as without a launcher in between.
    const Rank& writer = ranks_[static_cast<size_t>(stream.rank)];
    if (writer.alive) kill(-writer.pid, SIGPIPE);
    close(std::exchange(stream.fd, -1));
    return false;
  }
  stream.cutter.add(bytes, stream.sink->queue());
  if (link_.interactive && &stream == &streams_[0]) prompt_at_ = Clock::now() + prompt_delay;
  return true;
}

void JobRunner::finish_stream(Stream& stream) {
  if (stream.sink != nullptr) stream.cutter.finish(stream.sink->queue());
  if (stream.fd >= 0) close(std::exchange(stream.fd, -1));
  if (stream.file_fd >= 0) close(std::exchange(stream.file_fd, -1));
}

/// A failure, such as a full disk, leaves the ranks running and sets the status.
void JobRunner::write_file(Stream& stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = write(stream.file_fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      say(fmt::format("cannot write more of the output of rank {} to its file: {}", stream.rank, strerror(errno)));
      if (!result_) result_ = status_output_lost;
      close(std::exchange(stream.file_fd, -1));
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(size));
  }
}

/// Reads what a rank wrote before it died, so that it precedes the message about its death. The amount is bounded,
/// because other processes may still write to its channel; it is more than a channel holds.
void JobRunner::drain(int rank) {
  constexpr int most_reads = 16;
  for (Stream& stream : streams_) {
    if (stream.rank != rank) continue;
    for (int i = 0; i < most_reads && stream.fd >= 0 && read_stream(stream); ++i) continue;
  }
}

void JobRunner::flush_sinks() {
  for (Sink* sink : {&out_, &err_}) {
    sink->flush();
    if (sink->error() != 0) stop_writers(*sink);
  }
}

/// Ends the job if its output cannot be written. If its consumer has gone, only ranks that continue to write end: by
/// SIGPIPE, at once if they write to a pipe, in read_stream() otherwise.
void JobRunner::stop_writers(const Sink& sink) {
  if (sink.error() != EPIPE && sink.error() != ECONNRESET) {
    end_job(status_output_lost, fmt::format("cannot write to standard {}: {}; the job is ended",
                                            &sink == &out_ ? "output" : "error", strerror(sink.error())));
  }
  for (Stream& stream : streams_) {
    if (stream.sink == &sink && stream.fd >= 0 && !stream.terminal) close(std::exchange(stream.fd, -1));
  }
}

}  // namespace bowline::launcher
