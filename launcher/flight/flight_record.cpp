// SPDX-License-Identifier: BSD-3-Clause
// Reads the file of one rank. It is read into memory and not mapped: a file that another process makes shorter
// meanwhile is an error then, and not the end of this process.
#include "launcher/flight/flight_record.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <system_error>

#include "base/events/flight_file.hpp"
#include "launcher/report/job_report.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

// What a rank writes has a fiftieth of these. A damaged file must not take all memory.
constexpr std::uint32_t most_entries = 1 << 16, most_kinds_bytes = 1 << 20;

/// A structure of flight_file.hpp as bytes, because another process may write it meanwhile.
template <class Structure>
using Bytes = std::array<std::byte, sizeof(Structure)>;

template <class Number>
Number number_at(const std::byte* bytes, std::size_t offset) {
  Number number{};
  std::memcpy(&number, bytes + offset, sizeof number);
  return number;
}

class OpenRecording {
 public:
  explicit OpenRecording(const std::filesystem::path& file)
      : name_(file.string()), number_(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (number_ < 0) refuse(errno);
  }
  OpenRecording(const OpenRecording&) = delete;
  OpenRecording& operator=(const OpenRecording&) = delete;
  ~OpenRecording() { close(number_); }

  /// Throws UsageError if the file ends before.
  void read(std::byte* to, std::size_t bytes, std::size_t offset) const {
    for (std::size_t done = 0; done < bytes;) {
      const ssize_t got = pread(number_, to + done, bytes - done, static_cast<off_t>(offset + done));
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) refuse(errno);
      if (got == 0) throw UsageError("{} is cut off: it ends after {} bytes", name_, offset + done);
      done += static_cast<std::size_t>(got);
    }
  }
  const std::string& name() const { return name_; }

 private:
  [[noreturn]] void refuse(int error) const {
    throw UsageError("{} cannot be read: {}", name_, std::generic_category().message(error));
  }

  std::string name_;
  int number_;
};

struct Shape {
  std::uint32_t entries, first_entry, kinds_bytes;
};

Shape checked_shape(const Bytes<FlightHeader>& header, const std::string& file) {
  const auto word = [&header](std::size_t offset) { return number_at<std::uint32_t>(header.data(), offset); };
  if (std::memcmp(header.data() + offsetof(FlightHeader, magic), FlightHeader::right_magic.data(),
                  FlightHeader::right_magic.size()) != 0)
    throw UsageError("{} is no recording of a rank", file);
  if (const std::uint32_t version = word(offsetof(FlightHeader, version)); version != FlightHeader::right_version)
    throw UsageError("{} is a recording of version {}; this Bowline reads version {}", file, version,
                     FlightHeader::right_version);
  const Shape shape{.entries = word(offsetof(FlightHeader, entries)),
                    .first_entry = word(offsetof(FlightHeader, first_entry)),
                    .kinds_bytes = word(offsetof(FlightHeader, kinds_bytes))};
  const bool fits = word(offsetof(FlightHeader, entry_bytes)) == sizeof(FlightEntry) && shape.entries > 0 &&
                    shape.entries <= most_entries && shape.kinds_bytes <= most_kinds_bytes &&
                    shape.first_entry >= sizeof(FlightHeader) + shape.kinds_bytes;
  if (!fits) throw UsageError("{} is no recording of this kind: the numbers at its beginning do not fit", file);
  return shape;
}

RankFlight rank_in(const Bytes<FlightHeader>& header, const std::string& file) {
  RankFlight flight{.rank = number_at<std::int32_t>(header.data(), offsetof(FlightHeader, rank)),
                    .ranks = number_at<std::int32_t>(header.data(), offsetof(FlightHeader, ranks)),
                    .process = number_at<std::uint32_t>(header.data(), offsetof(FlightHeader, process))};
  if (flight.ranks < 1 || flight.ranks > JobReport::most_ranks || flight.rank < 0 || flight.rank >= flight.ranks)
    throw UsageError("{} is no recording of this kind: rank {} of {} cannot be", file, flight.rank, flight.ranks);
  const char* const host = reinterpret_cast<const char*>(header.data()) + offsetof(FlightHeader, host);
  flight.host.assign(host, strnlen(host, sizeof(FlightHeader::host)));
  std::ranges::replace_if(
      flight.host, [](char c) { return c < ' ' || c > '~'; }, '?');
  return flight;
}

/// Times so far away that a clock cannot have told them give nothing.
std::optional<std::int64_t> in_utc(std::int64_t time, std::int64_t to_utc) {
  constexpr std::int64_t latest = std::int64_t{1} << 62;  // in the year 2116
  std::int64_t sum = 0;
  if (__builtin_add_overflow(time, to_utc, &sum) || sum < 0 || sum > latest) return {};
  return sum;
}

/// `written`: as it was after the ring had been read. What has been begun since then may be half written; whatever has
/// another number than belongs here is, too.
void add_events(const std::vector<std::byte>& ring, std::uint64_t written, std::int64_t to_utc, RankFlight& flight) {
  const std::uint64_t entries = ring.size() / sizeof(FlightEntry);
  const std::uint64_t first = written > entries ? written - entries : 0;
  flight.is_whole = first == 0;
  for (std::uint64_t number = first; number < written; ++number) {
    const std::byte* const entry = ring.data() + number % entries * sizeof(FlightEntry);
    if (number_at<std::uint64_t>(entry, offsetof(FlightEntry, number)) != number + 1) continue;
    const auto kind = number_at<std::uint32_t>(entry, offsetof(FlightEntry, kind));
    const auto time = in_utc(number_at<std::int64_t>(entry, offsetof(FlightEntry, time)), to_utc);
    if (!time || kind >= flight.kinds->size()) continue;
    FlightEvent& event = flight.events.emplace_back(
        FlightEvent{.time = *time,
                    .kind = &(*flight.kinds)[kind],
                    .thread = number_at<std::uint32_t>(entry, offsetof(FlightEntry, thread))});
    std::memcpy(event.record.data(), entry + offsetof(FlightEntry, record), event.record.size());
  }
  std::ranges::stable_sort(flight.events, {}, &FlightEvent::time);
}

/// Ranks of a job have the same ones: they are parsed once.
std::shared_ptr<const FlightKinds> kinds_in(const std::string& text, const std::string& file) {
  static thread_local std::string last_text;
  static thread_local std::shared_ptr<const FlightKinds> last;
  if (last == nullptr || text != last_text) {
    last = std::make_shared<const FlightKinds>(parse_flight_kinds(text, file));
    last_text = text;
  }
  return last;
}

}  // namespace

RankFlight read_flight(const std::filesystem::path& path) {
  const OpenRecording file(path);
  Bytes<FlightHeader> header{};
  file.read(header.data(), header.size(), 0);
  const Shape shape = checked_shape(header, file.name());
  RankFlight flight = rank_in(header, file.name());
  std::string kinds(shape.kinds_bytes, ' ');
  file.read(reinterpret_cast<std::byte*>(kinds.data()), kinds.size(), sizeof(FlightHeader));
  flight.kinds = kinds_in(kinds, file.name());
  std::vector<std::byte> ring(shape.entries * sizeof(FlightEntry));
  file.read(ring.data(), ring.size(), shape.first_entry);
  file.read(header.data(), header.size(), 0);
  const auto to_utc = number_at<std::int64_t>(header.data(), offsetof(FlightHeader, to_utc));
  add_events(ring, number_at<std::uint64_t>(header.data(), offsetof(FlightHeader, written)), to_utc, flight);
  const auto finalized = number_at<std::int64_t>(header.data(), offsetof(FlightHeader, finalized));
  if (finalized != 0) flight.finalized = in_utc(finalized, to_utc);
  return flight;
}

}  // namespace bowline::launcher
