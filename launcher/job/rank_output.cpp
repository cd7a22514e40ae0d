// SPDX-License-Identifier: BSD-3-Clause
// See rank_output.hpp.
#include "launcher/job/rank_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "launcher/pattern.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {

namespace {

// Silence after which an unfinished line is taken for a prompt.
constexpr std::chrono::milliseconds prompt_delay{100};

bool is_regular_file(int fd) {
  struct stat info {};
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
}

}  // namespace

RankOutput::RankOutput(const Options& options, std::string host, Sink& out, Sink& err, bool interactive,
                       Handlers handlers)
    : options_(options),
      host_(std::move(host)),
      out_(out),
      err_(err),
      interactive_(interactive),
      handlers_(std::move(handlers)) {
  streams_.reserve(2 * static_cast<size_t>(options.ranks()));
}

RankOutput::~RankOutput() {
  for (const Stream& stream : streams_) {
    if (stream.fd >= 0) close(stream.fd);
    if (stream.file_fd >= 0) close(stream.file_fd);
  }
}

// ---- the start of a rank -----------------------------------------------------------------------------------------

RankOutput::Writers RankOutput::open(int rank) {
  const int out = open_stream(rank, "stdout", options_.files.out, out_, options_.line_buffered.value_or(true));
  const int err = options_.merge_stderr ? fcntl(out, F_DUPFD_CLOEXEC, 0)
                                        : open_stream(rank, "stderr", options_.files.err, err_, false);
  if (err < 0) throw LaunchError("cannot start rank {}: {}", rank, strerror(errno));
  return {out, err};
}

/// Opens a file to which a rank writes. Ranks whose pattern gives the same name append to one file.
int RankOutput::open_file(const std::string& path) {
  const bool first = files_.insert(path).second;
  std::error_code error;  // open() reports a directory that could not be made
  if (!options_.files.directory.empty())
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | (first ? O_TRUNC : 0) | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0) throw LaunchError("cannot write {}: {}", path, strerror(errno));
  return fd;
}

/// Returns the descriptor to which the rank writes: a file, or a channel whose other end becomes one of streams_. With
/// `by_line` each line arrives when the rank writes it; a regular file then needs the channel, too, because the rank's
/// libraries hold back output to a file.
int RankOutput::open_stream(int rank, const char* stream, const std::string& pattern, Sink& sink, bool by_line) {
  const PatternValues values{.rank = rank, .ranks = options_.ranks(), .host = host_, .stream = stream};
  const int file = pattern.empty() ? -1 : open_file(expand(pattern, values));
  const bool forwarded = file < 0 || options_.files.forwarded;
  if (!forwarded && !(by_line && is_regular_file(file))) return file;
  const OutputChannel channel = open_channel(rank, by_line);
  streams_.push_back({.fd = channel.reader,
                      .terminal = channel.terminal,
                      .file_fd = file,
                      .rank = rank,
                      .cutter = LineCutter(expand(options_.tag, values)),
                      .sink = forwarded ? &sink : nullptr});
  return channel.writer;
}

OutputChannel RankOutput::open_channel(int rank, bool by_line) {
  if (!by_line) return open_pipe(rank);
  std::string reason;
  const OutputChannel channel = open_terminal(rank, reason);
  if (!channel.terminal && !std::exchange(warned_of_pipe_, true)) {
    handlers_.say(fmt::format(
        "rank {} gets a pipe for its output, and may hold back lines until it ends, because no pseudo-terminal can be "
        "opened ({}): mount devpts and raise kernel.pty.max, or accept it with --stream-buffering full",
        rank, reason));
  }
  return channel;
}

// ---- while ranks run ---------------------------------------------------------------------------------------------

void RankOutput::add_to(std::vector<pollfd>& fds) const {
  for (const Stream& stream : streams_) {
    const bool full = stream.sink != nullptr && stream.sink->full();
    fds.push_back({.fd = full ? -1 : stream.fd, .events = POLLIN, .revents = 0});
  }
}

void RankOutput::read_ready(std::span<const pollfd> fds) {
  for (size_t i = 0; i < fds.size(); ++i) {
    if (fds[i].revents != 0) read(streams_[i]);
  }
}

/// Whether anything was read.
bool RankOutput::read(Stream& stream) {
  char buffer[1 << 16];
  const ssize_t size = read_channel(stream.fd, buffer);
  if (size <= 0) {
    if (size == 0 || (errno != EAGAIN && errno != EINTR)) finish(stream);
    return false;
  }
  const std::string_view bytes(buffer, static_cast<size_t>(size));
  if (stream.file_fd >= 0) write_file(stream, bytes);
  if (stream.sink == nullptr) return true;
  if (stream.sink->error() != 0) {
    handlers_.no_consumer(stream.rank);
    close(std::exchange(stream.fd, -1));
    return false;
  }
  stream.cutter.add(bytes, stream.sink->queue());
  if (interactive_ && &stream == &streams_[0]) prompt_at_ = Clock::now() + prompt_delay;
  return true;
}

/// A failure, such as a full disk, leaves the ranks running.
void RankOutput::write_file(Stream& stream, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t size = write(stream.file_fd, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) {
      handlers_.say(
          fmt::format("cannot write more of the output of rank {} to its file: {}", stream.rank, strerror(errno)));
      handlers_.lost();
      close(std::exchange(stream.file_fd, -1));
      return;
    }
    bytes.remove_prefix(static_cast<size_t>(size));
  }
}

void RankOutput::on_timer(Clock::time_point now) {
  if (!prompt_at_ || now < *prompt_at_) return;
  prompt_at_.reset();
  streams_[0].cutter.show_partial(streams_[0].sink->queue());
}

// ---- the end -----------------------------------------------------------------------------------------------------

void RankOutput::drain(int rank) {
  constexpr int most_reads = 16;
  for (Stream& stream : streams_) {
    if (stream.rank != rank) continue;
    for (int i = 0; i < most_reads && stream.fd >= 0 && read(stream); ++i) continue;
  }
}

void RankOutput::finish(Stream& stream) {
  if (stream.sink != nullptr) stream.cutter.finish(stream.sink->queue());
  if (stream.fd >= 0) close(std::exchange(stream.fd, -1));
  if (stream.file_fd >= 0) close(std::exchange(stream.file_fd, -1));
}

void RankOutput::finish() {
  for (Stream& stream : streams_) finish(stream);
}

void RankOutput::close_pipes_to(const Sink& sink) {
  for (Stream& stream : streams_) {
    if (stream.sink == &sink && stream.fd >= 0 && !stream.terminal) close(std::exchange(stream.fd, -1));
  }
}

}  // namespace bowline::launcher
