// SPDX-License-Identifier: BSD-3-Clause
#include "proto/services/service.hpp"

#include <fmt/format.h>

#include "proto/checks.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

void Service::tell(Peer& peer, Kind kind, transport::Header header, std::span<const std::byte> prefix,
                   std::span<const std::byte> body) noexcept {
  const Form* const form = engine_.services().form_of(static_cast<std::uint8_t>(kind), *this);
  if (form == nullptr || prefix.size() != form->prefix_bytes || body.size() > form->most_body ||
      prefix.size() + body.size() > longest_told) {
    return engine_.liveness().break_off(
        peer.rank, Failure::of([&] {
          return Error(ErrorClass::intern,
                       fmt::format("a message of kind {} ({}) was to have {} bytes and {} more, which it cannot have",
                                   static_cast<int>(kind), form == nullptr ? "unknown" : form->name, prefix.size(),
                                   body.size()));
        }));
  }
  engine_.outbox().send_control(peer, control_header(header, kind), prefix, body);
}

void Services::add(std::unique_ptr<Service> service) {
  owned_.reserve(owned_.size() + 1);
  add(*service);
  owned_.push_back(std::move(service));
}

void Services::add(Service& service) {
  std::vector<Entry> entries = entries_;
  for (const MessageKind& kind : service.kinds()) {
    const auto refuse = [&](const char* why) {
      throw Error(ErrorClass::intern, fmt::format("messages of kind {} ({}) cannot be registered: {}",
                                                  static_cast<int>(kind.kind), kind.form.name, why));
    };
    if (kind.form.prefix_bytes > max_prefix) refuse("its prefix is too long");
    if (kind.form.most_body > longest_told - kind.form.prefix_bytes && kind.form.most_body != any_length)
      refuse("its body may be too long to be told, and too short to come in parts");
    const auto place = static_cast<std::size_t>(kind.kind);
    if (place >= entries.size()) entries.resize(place + 1);
    if (entries[place].kind != nullptr) refuse("the number is taken");
    entries[place] = {&kind, &service};
  }
  services_.push_back(&service);
  entries_ = std::move(entries);
}

Service& Services::of(Kind kind) const {
  const Entry* const entry = find(static_cast<std::uint8_t>(kind));
  if (entry == nullptr) {
    throw Error(ErrorClass::intern,
                fmt::format("this process has no service for messages of kind {}", static_cast<int>(kind)));
  }
  return *entry->service;
}

void Services::handle(int processes, int origin, transport::Header header, std::span<const std::byte> prefix,
                      std::span<const std::byte> body) const {
  const Entry* const entry = find(header.kind);
  if (entry == nullptr) throw wrong_message(origin, fmt::format("its kind is {}, which there is not", header.kind));
  const Arrival message{origin, entry->kind->form.name, header, prefix, body};
  check_form(entry->kind->form, message, processes);
  entry->kind->arrived(*entry->service, message);
}

}  // namespace bowline::proto
