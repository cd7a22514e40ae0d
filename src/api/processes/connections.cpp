// SPDX-License-Identifier: BSD-3-Clause
#include "api/processes/connections.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <span>

#include "api/entry/this_process.hpp"
#include "runtime/jobs/contact.hpp"

namespace bowline::api {
namespace {

using runtime::Contact;
using State = Connections::State;

Bytes bytes_of_state(State state) {
  const auto bytes = std::as_bytes(std::span(&state, 1));
  return {bytes.begin(), bytes.end()};
}

State state_of(const Bytes& bytes) {
  State state = State::failed;
  if (bytes.size() == sizeof state) std::memcpy(&state, bytes.data(), sizeof state);
  return state;
}

}  // namespace

Connections::Connections(const runtime::Roster& own, const runtime::Roster& other, bool comes_first,
                         std::uint32_t first_id)
    : jobs_(this_process().jobs()), own_(own), other_(other), comes_first_(comes_first), first_id_(first_id) {
  own_job_ = own.job_named(this_process().wireup().identity().job);
}

Connections::~Connections() {
  for (const std::uint32_t id : prepared_) jobs_.abandon(id);
}

Bytes Connections::prepare() {
  ByteList told;
  try {
    told.add(bytes_of_state(is_taken() ? State::id_is_taken : State::ready));
    told.add({});
    for (int job = 0; state_of(told[0]) == State::ready && job < jobs_there(); ++job) {
      told.add(is_joined(job) ? Bytes() : jobs_.prepare(id_of(job), own_.side(own_job_), other_.side(job)).bytes());
      if (!is_joined(job)) prepared_.push_back(id_of(job));
    }
  } catch (const std::exception& error) {
    told = {};
    told.add(bytes_of_state(State::failed));
    told.add(bytes_of(error.what()));
  }
  return told.bytes();
}

std::pair<State, std::string> Connections::summary(const std::vector<ByteList>& told) {
  State worst = State::ready;
  std::string words;
  for (const ByteList& each : told) {
    const State state = each.size() < 2 ? State::failed : state_of(each[0]);
    if (state == State::failed && words.empty())
      words = each.size() < 2 ? "a process has told nothing of itself" : text_of(each[1]);
    worst = std::max(worst, state);
  }
  return {worst, words};
}

void Connections::connect(const std::vector<ByteList>& told) {
  const int as_seen = 2 + own_job_;  // the position of the contacts for this process's job
  for (int job = 0; job < jobs_there(); ++job) {
    if (is_joined(job)) continue;
    std::vector<std::pair<int, Contact>> contacts;
    for (std::size_t i = 0; i < other_.processes.size(); ++i) {
      if (other_.processes[i].job != job) continue;
      contacts.emplace_back(other_.processes[i].rank, Contact::read(told[i][static_cast<std::size_t>(as_seen)]));
    }
    std::ranges::sort(contacts, {}, [](const auto& each) { return each.first; });
    std::vector<Contact> in_order;
    in_order.reserve(contacts.size());
    for (auto& [rank, contact] : contacts) in_order.push_back(std::move(contact));
    jobs_.connect(id_of(job), in_order);
  }
}

/// Both sides number the pairs of a job of the first and a job of the second side alike.
std::uint32_t Connections::id_of(int job) const noexcept {
  const int pair = comes_first_ ? own_job_ * jobs_there() + job : job * static_cast<int>(own_.jobs.size()) + own_job_;
  return first_id_ + static_cast<std::uint32_t>(pair);
}

bool Connections::is_taken() const {
  for (int job = 0; job < jobs_there(); ++job) {
    if (!is_joined(job) && jobs_.has(id_of(job))) return true;
  }
  return false;
}

}  // namespace bowline::api
