// SPDX-License-Identifier: BSD-3-Clause
// The second level of a two-phase access: units exchange the runs of windows. In step s every unit deals with the
// windows of the s-th unit behind it, and its aggregators with the s-th unit in front of them.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "base/error.hpp"
#include "mpiio/collective/steps.hpp"
#include "mpiio/collective/two_phase.hpp"

namespace bowline::mpiio {
namespace {

template <class T>
std::span<std::byte> bytes_of(T& value) noexcept {
  return std::as_writable_bytes(std::span(&value, 1));
}

}  // namespace

/// Describes the runs in a window of another unit, and appends their data if `with_data`.
TwoPhase::Heading TwoPhase::describe(int aggregator, const Begins& begins, bool with_data) {
  const FileWindow window = memory_.window(role_, WindowMemory::of_others);
  const std::size_t granules = granules_in(window_of(aggregator, begins));
  std::vector<std::byte>& message = memory_.outgoing();
  message.clear();
  if (granules > 0) encode_runs(window.coverage(), granules, message);
  Heading heading{.described = message.size()};
  if (!with_data || granules == 0) return heading;
  const Coverage coverage = window.coverage();
  for (GranuleRun run = coverage.next(0); run.begin < granules; run = coverage.next(run.end))
    append(window, run, message);
  heading.data = message.size() - heading.described;
  return heading;
}

void TwoPhase::append(const FileWindow& window, GranuleRun run, std::vector<std::byte>& message) const {
  const std::byte* const image = window.image;
  message.insert(message.end(), image + run.begin * plan_.granule(), image + run.end * plan_.granule());
}

/// Throws Error (intern) unless the message that follows can be one about this window.
void TwoPhase::check_heading(const Heading& heading, Extent window) const {
  const std::size_t granules = granules_in(window);
  const std::size_t most_described = granules == 0 ? 0 : Coverage::words_for(granules) * sizeof(std::uint64_t) + 32;
  if (heading.described > most_described || heading.data > granules * plan_.granule())
    throw Error(ErrorClass::intern, "a part of a file has arrived that is longer than its window");
}

/// Stores the runs that another unit has filled of a window of this aggregator.
void TwoPhase::store(std::span<const std::byte> message, const Heading& heading, int set) {
  if (heading.described == 0) return;
  const FileWindow window = memory_.window(role_, set);
  const Coverage coverage = window.coverage();
  Coverage::Marker marker(coverage);
  RunReader runs(message.first(heading.described), granules_in(window_of(own_number(), begins_)));
  std::span<const std::byte> data = message.subspan(heading.described, heading.data);
  while (const auto run = runs.next()) {
    const std::size_t bytes = (run->end - run->begin) * plan_.granule();
    if (bytes > data.size()) throw Error(ErrorClass::intern, "a part of a file has arrived without all of its data");
    std::memcpy(window.image + run->begin * plan_.granule(), data.data(), bytes);
    marker.mark(*run);
    data = data.subspan(bytes);
  }
}

Task TwoPhase::write_other_units(int set) {
  const int units = plan_.units().count();
  for (int step = 1; step < units; ++step) {
    const int target = (unit_ + step) % units;
    const int source = (unit_ + units - step) % units;
    if (plan_.active(target)) {
      for (int i = 0; i < plan_.each(); ++i)
        put(memory_.window(i, WindowMemory::of_others), window_of(plan_.number(target, i), begins_));
      Task meeting = meet(channel_, members_, index_);
      co_await meeting;
    }
    if (role_ >= 0) {
      Task trading = trade_written(target, source, set);
      co_await trading;
    }
    if (plan_.active(target) && step + 1 < units) {  // the windows of other units may be filled again
      Task meeting = meet(channel_, members_, index_);
      co_await meeting;
    }
  }
}

/// Sends the data that this unit has filled into a window of `target`, and receives the data that `source` has filled
/// into this aggregator's window.
Task TwoPhase::trade_written(int target, int source, int set) {
  std::optional<coll::Transfer> heading_sent, message_sent;
  Heading outgoing;
  if (plan_.active(target)) {
    const int aggregator = plan_.number(target, role_), to = plan_.member(target, role_);
    outgoing = describe(aggregator, begins_, true);
    memory_.window(role_, WindowMemory::of_others).coverage().clear(granules_in(window_of(aggregator, begins_)));
    heading_sent.emplace(channel_.send(to, bytes_of(outgoing)));
    if (!memory_.outgoing().empty()) message_sent.emplace(channel_.send(to, memory_.outgoing()));
  }
  if (aggregates()) {
    const int from = plan_.member(source, role_);
    Heading heading;
    auto heading_received = channel_.receive(from, bytes_of(heading));
    co_await heading_received;
    channel_.check();
    check_heading(heading, window_of(own_number(), begins_));
    std::vector<std::byte>& incoming = memory_.incoming();
    incoming.resize(heading.described + heading.data);
    if (!incoming.empty()) {
      auto received = channel_.receive(from, incoming);
      co_await received;
      channel_.check();
    }
    store(incoming, heading, set);
  }
  if (heading_sent) {
    auto& sent = *heading_sent;
    co_await sent;
  }
  if (message_sent) {
    auto& sent = *message_sent;
    co_await sent;
  }
}

Task TwoPhase::read_other_units(const Begins& begins, int set) {
  const int units = plan_.units().count();
  for (int step = 1; step < units; ++step) {
    const int target = (unit_ + step) % units;
    const int source = (unit_ + units - step) % units;
    if (plan_.active(target)) {
      for (int i = 0; i < plan_.each(); ++i)
        mark(memory_.window(i, WindowMemory::of_others), window_of(plan_.number(target, i), begins));
      Task meeting = meet(channel_, members_, index_);
      co_await meeting;
    }
    if (role_ >= 0) {
      Task trading = trade_read(target, source, begins, set);
      co_await trading;
    }
    if (!plan_.active(target)) continue;
    Task filled = meet(channel_, members_, index_);
    co_await filled;
    for (int i = 0; i < plan_.each(); ++i)
      take(memory_.window(i, WindowMemory::of_others), window_of(plan_.number(target, i), begins));
    Task taken = meet(channel_, members_, index_);
    co_await taken;
  }
}

/// Asks `target` for the runs that this unit has marked, and answers `source` from this aggregator's window.
Task TwoPhase::trade_read(int target, int source, const Begins& begins, int set) {
  std::optional<coll::Transfer> heading_sent, request_sent, answer_heading_sent, answer_sent;
  Heading request, asked, answer, given;
  const bool asks = plan_.active(target);
  const int to = asks ? plan_.member(target, role_) : 0;
  const int aggregator = asks ? plan_.number(target, role_) : 0;
  std::vector<std::byte>& outgoing = memory_.outgoing();
  std::vector<std::byte>& incoming = memory_.incoming();
  outgoing.clear();
  if (asks) {
    request = describe(aggregator, begins, false);
    heading_sent.emplace(channel_.send(to, bytes_of(request)));
    if (!outgoing.empty()) request_sent.emplace(channel_.send(to, std::span(outgoing).first(request.described)));
  }
  if (aggregates()) {
    const int from = plan_.member(source, role_);
    auto heading_received = channel_.receive(from, bytes_of(asked));
    co_await heading_received;
    channel_.check();
    check_heading(asked, window_of(own_number(), begins));
    incoming.resize(asked.described);
    if (!incoming.empty()) {
      auto received = channel_.receive(from, incoming);
      co_await received;
      channel_.check();
    }
    const std::size_t before = outgoing.size();  // there is room behind the request, which may not have been sent yet
    answer = collect(incoming, begins, set);
    answer_heading_sent.emplace(channel_.send(from, bytes_of(answer)));
    if (answer.data > 0) answer_sent.emplace(channel_.send(from, std::span(outgoing).subspan(before)));
  }
  if (asks) {
    auto heading_received = channel_.receive(to, bytes_of(given));
    co_await heading_received;
    channel_.check();
    check_heading(given, window_of(aggregator, begins));
    incoming.resize(given.data);
    if (!incoming.empty()) {
      auto received = channel_.receive(to, incoming);
      co_await received;
      channel_.check();
    }
    deliver(incoming, given, window_of(aggregator, begins));
  }
  if (heading_sent) {
    auto& sent = *heading_sent;
    co_await sent;
  }
  if (request_sent) {
    auto& sent = *request_sent;
    co_await sent;
  }
  if (answer_heading_sent) {
    auto& sent = *answer_heading_sent;
    co_await sent;
  }
  if (answer_sent) {
    auto& sent = *answer_sent;
    co_await sent;
  }
}

/// Appends the runs that another unit asks for to the outgoing message, as far as the file has them.
TwoPhase::Heading TwoPhase::collect(std::span<const std::byte> request, const Begins& begins, int set) {
  const FileWindow window = memory_.window(role_, set);
  const Extent part = window_of(own_number(), begins);
  Heading answer{.valid_end = part.begin};
  if (request.empty()) return answer;
  answer.valid_end = std::clamp(*window.valid_end, part.begin, part.end);
  std::vector<std::byte>& message = memory_.outgoing();
  const std::size_t before = message.size();
  RunReader runs(request, granules_in(part));
  while (const auto run = runs.next()) {
    const std::size_t begin = run->begin * plan_.granule();
    const std::size_t end =
        std::min(run->end * plan_.granule(), static_cast<std::size_t>(answer.valid_end - part.begin));
    if (begin < end) message.insert(message.end(), window.image + begin, window.image + end);
  }
  answer.data = message.size() - before;
  return answer;
}

/// Puts the data of an answer to their places in the window that this unit has marked.
void TwoPhase::deliver(std::span<const std::byte> data, const Heading& answer, Extent part) {
  const FileWindow window = memory_.window(role_, WindowMemory::of_others);
  const std::size_t granules = granules_in(part);
  *window.valid_end = std::clamp(answer.valid_end, part.begin, part.end);
  const auto valid = static_cast<std::size_t>(*window.valid_end - part.begin);
  Coverage coverage = window.coverage();
  for (GranuleRun run = coverage.next(0); run.begin < granules; run = coverage.next(run.end)) {
    const std::size_t begin = run.begin * plan_.granule();
    const std::size_t end = std::min(run.end * plan_.granule(), valid);
    if (begin >= end) break;
    if (end - begin > data.size()) throw Error(ErrorClass::intern, "an answer about a file lacks some of its data");
    std::memcpy(window.image + begin, data.data(), end - begin);
    data = data.subspan(end - begin);
  }
  coverage.clear(granules);
}

}  // namespace bowline::mpiio
