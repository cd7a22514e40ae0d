// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/report/flight_recorder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/thread_ids.hpp"
#include "base/tunable.hpp"
#include "runtime/report/json_string.hpp"
#include "runtime/report/rank_folder.hpp"

namespace bowline::runtime {
namespace {

TextTunable flight_recorder(TunableTraits(Category::diagnosis).for_users(), "flight_recorder", "the name of a folder",
                            "a folder in which each rank keeps its last 1,000 events, for bowline-report --timeline; "
                            "mpiexec --record does all of that by itself");

/// A recorder leaves these out: they would fill it within milliseconds, and take messages off their shortest ways.
constexpr std::array<std::string_view, 2> of_each_message{"message_matched", "protocol_chosen"};

constinit FlightRecorder* recorder = nullptr;

std::string in_json(const EventField& field) {
  std::vector<std::string> words;
  for (const std::string_view each : field.words) words.push_back(json_string(each));
  return fmt::format(R"({{"name": {}, "type": "{}", "offset": {}, "words": [{}]}})", json_string(field.name),
                     field.type == EventField::Type::int32 ? "int32" : "uint64", field.offset, fmt::join(words, ", "));
}

std::string kinds_in_json() {
  std::vector<std::string> kinds;
  for (const EventKind* const each : EventKind::all()) {
    std::vector<std::string> fields;
    for (const EventField& field : each->fields()) fields.push_back(in_json(field));
    kinds.push_back(
        fmt::format(R"({{"name": {}, "fields": [{}]}})", json_string(each->name()), fmt::join(fields, ", ")));
  }
  return fmt::format("[{}]", fmt::join(kinds, ",\n"));
}

std::int64_t utc_now() noexcept {
  using std::chrono::nanoseconds;
  return std::chrono::duration_cast<nanoseconds>(std::chrono::system_clock::now().time_since_epoch()).count();
}

class Descriptor {
 public:
  explicit Descriptor(const std::string& path) noexcept
      : number_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  int number() const noexcept { return number_; }

 private:
  int number_;
};

/// A file of this length, with all its blocks: without one, writing to the mapping would end the process. Throws Error.
FlightHeader* mapped(const std::string& path, std::size_t bytes) {
  const Descriptor file(path);
  int error = file.number() < 0 ? errno : posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
  void* memory = MAP_FAILED;
  if (error == 0) {
    memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (memory == MAP_FAILED) error = errno;
  }
  if (error != 0) throw Error(ErrorClass::io, fmt::format("{} cannot be made: {}", path, std::strerror(error)));
  return new (memory) FlightHeader{};
}

}  // namespace

void FlightRecorder::Unmap::operator()(FlightHeader* header) const noexcept {
  munmap(header, bytes);
}

FlightRecorder::Mapping FlightRecorder::map(const std::string& path, const WhoReports& who) {
  const std::string kinds = kinds_in_json();
  constexpr std::size_t alignment = alignof(FlightEntry);
  const std::size_t first = (sizeof(FlightHeader) + kinds.size() + alignment - 1) / alignment * alignment;
  const std::size_t bytes = first + entries * sizeof(FlightEntry);
  Mapping file(mapped(path, bytes), Unmap{bytes});
  std::ranges::copy(kinds, reinterpret_cast<char*>(file.get() + 1));
  file->version = FlightHeader::right_version;
  file->entry_bytes = sizeof(FlightEntry);
  file->entries = entries;
  file->first_entry = static_cast<std::uint32_t>(first);
  file->kinds_bytes = static_cast<std::uint32_t>(kinds.size());
  file->rank = who.rank;
  file->ranks = who.ranks;
  file->process = static_cast<std::uint32_t>(getpid());
  file->to_utc = utc_now() - event_time();
  who.host.copy(file->host.data(), file->host.size() - 1);
  file->magic = FlightHeader::right_magic;  // a reader takes the file from now on
  return file;
}

FlightRecorder::FlightRecorder(Mapping file) noexcept
    : file_(std::move(file)),
      ring_(reinterpret_cast<FlightEntry*>(reinterpret_cast<std::byte*>(file_.get()) + file_->first_entry)) {}

void FlightRecorder::begin(const WhoReports& who) {
  if (flight_recorder.value().empty() || is_spawned() || recorder != nullptr) return;
  const std::string missing = fmt::format("the events of rank {} will not be recorded", who.rank);
  const std::string folder = folder_for_ranks(flight_recorder.value(), "BOWLINE_FLIGHT_RECORDER", missing);
  if (folder.empty()) return;
  try {
    recorder = new FlightRecorder(map(fmt::format("{}/rank-{}.flight", folder, who.rank), who));
  } catch (const Error& error) {
    return log::warning("{}: BOWLINE_FLIGHT_RECORDER={}: {}", missing, folder, error.what());
  }
  for (EventKind* const each : EventKind::all()) {
    if (std::ranges::find(of_each_message, each->name()) == of_each_message.end()) each->add(*recorder);
  }
}

void FlightRecorder::finalized() noexcept {
  if (recorder != nullptr) recorder->file_->finalized.store(event_time(), std::memory_order_relaxed);
}

/// Called for one event at a time.
void FlightRecorder::hear(const Occurrence& occurrence) noexcept {
  const std::uint64_t number = file_->written.load(std::memory_order_relaxed);
  file_->written.store(number + 1, std::memory_order_relaxed);
  FlightEntry& entry = ring_[number % entries];
  entry.number.store(0, std::memory_order_relaxed);
  thread_fence(std::memory_order_release);  // no write below comes before that
  const auto kinds = EventKind::all();
  entry.time = occurrence.time;
  entry.kind = static_cast<std::uint32_t>(std::ranges::find(kinds, &occurrence.kind) - kinds.begin());
  static thread_local const auto thread = static_cast<std::uint32_t>(this_thread_id());  // a system call
  entry.thread = thread;
  std::ranges::copy(occurrence.record, entry.record.begin());
  entry.number.store(number + 1, std::memory_order_release);
}

}  // namespace bowline::runtime
