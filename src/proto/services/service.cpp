// SPDX-License-Identifier: BSD-3-Clause
#include "proto/services/service.hpp"

#include <fmt/format.h>

#include "proto/checks.hpp"
#include "proto/engine.hpp"

namespace bowline::proto {

Error Arrival::wrong(const std::string& what) const {
  return wrong_message(origin, kind, what);
}

void Service::tell(Peer& peer, Kind kind, transport::Header header, std::span<const std::byte> prefix,
                   std::span<const std::byte> body) noexcept {
  const Form* const form = engine_.services().form_of(static_cast<std::uint8_t>(kind));
  if (form == nullptr || prefix.size() != form->prefix_bytes || body.size() > form->most_body ||
      prefix.size() + body.size() > longest_told) {
    return engine_.fail_peer(
        peer.rank, Failure::of([&] {
          return Error(ErrorClass::intern,
                       fmt::format("a message of kind {} ({}) was to have {} bytes and {} more, which it cannot have",
                                   static_cast<int>(kind), form == nullptr ? "unknown" : form->name, prefix.size(),
                                   body.size()));
        }));
  }
  engine_.send_control(peer, control_header(header, kind), prefix, body);
}

void Services::add(std::unique_ptr<Service> service) {
  std::vector<Entry> entries = entries_;
  for (const MessageKind& kind : service->kinds()) {
    const auto refuse = [&](const char* why) {
      throw Error(ErrorClass::intern, fmt::format("messages of kind {} ({}) cannot be registered: {}",
                                                  static_cast<int>(kind.kind), kind.form.name, why));
    };
    if (kind.kind < first_of_services) refuse("the number is one of the engine's own");
    if (kind.form.prefix_bytes > max_prefix) refuse("its prefix is too long");
    if (kind.form.most_body > longest_told - kind.form.prefix_bytes && kind.form.most_body != any_length)
      refuse("its body may be too long to be told, and too short to come in parts");
    const std::size_t place = static_cast<std::size_t>(kind.kind) - static_cast<std::size_t>(first_of_services);
    if (place >= entries.size()) entries.resize(place + 1);
    if (entries[place].kind != nullptr) refuse("the number is taken");
    entries[place] = {&kind, service.get()};
  }
  services_.push_back(std::move(service));
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

void Services::handle(int origin, transport::Header header, std::span<const std::byte> prefix,
                      std::span<const std::byte> body) const {
  const Entry& entry = *find(header.kind);
  entry.kind->arrived(*entry.service, {origin, entry.kind->form.name, header, prefix, body});
}

}  // namespace bowline::proto
