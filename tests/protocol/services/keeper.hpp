// SPDX-License-Identifier: BSD-3-Clause
// A service that keeps what it is told, and the fixture of tests about services: an engine that has it.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "failures/broken_off.hpp"
#include "proto/matching/match.hpp"
#include "proto/services/service.hpp"

namespace bowline::proto {

struct Greeting {
  std::uint64_t number;
};

inline constexpr Kind note{200}, greeting{201}, located{202}, part{203}, unknown{204};
inline constexpr std::size_t longest_greeting = 100;

/// Keeps what it is told.
class Keeper final : public Service {
 public:
  struct Kept {
    int origin;
    std::string kind;
    transport::Header header;
    Bytes prefix;
    Bytes body;
    std::uint64_t number() const { return read_prefix<Greeting>(prefix).number; }
  };
  explicit Keeper(Engine& engine) noexcept : Service(engine, forms) {}

  bool outstanding() const noexcept override { return waits_for >= 0; }
  bool awaits(const Peer& peer) const noexcept override { return peer.rank == waits_for; }
  void for_each_waiting(const std::function<void(const Match&, int process)>& action) override {
    if (wanted.context != no_context) action(wanted, -1);
  }
  void unheard(const Peer& peer, const Failure& why) noexcept override { notices.push_back({peer.rank, why}); }
  void unanswered(const Doomed& doomed, const Failure& why) noexcept override {
    if (wanted.context != no_context && doomed(no_process, wanted)) failure = why;
    if (doomed(waits_for, {no_context, no_process, 0})) failure_of_origin = why;
  }

  std::vector<Kept> kept;
  std::function<void(const Arrival&)> then;  ///< after it was kept
  int waits_for = -1;
  Match wanted{no_context, no_process, 0};
  std::vector<std::pair<int, Failure>> notices;
  Failure failure, failure_of_origin;

 private:
  void arrived(const Arrival& message) {
    const auto bytes = [](std::span<const std::byte> span) { return Bytes(span.begin(), span.end()); };
    kept.push_back(
        {message.origin, std::string(message.kind), message.header, bytes(message.prefix), bytes(message.body)});
    if (then) then(message);
  }

  static const std::array<MessageKind, 4> forms;
};

inline const std::array<MessageKind, 4> Keeper::forms{{
    {note, {"note", 0, 0, false}, &call<Keeper, &Keeper::arrived>},
    {greeting, {"greeting", sizeof(Greeting), longest_greeting, false}, &call<Keeper, &Keeper::arrived>},
    {located, {"located", 0, longest_told, true}, &call<Keeper, &Keeper::arrived>},
    {part, {"part", sizeof(Data), any_length, false}, &call<Keeper, &Keeper::arrived>},
}};

class AService : public BrokenOff {
 protected:
  AService() {
    auto added = std::make_unique<Keeper>(engine);
    service = added.get();
    engine.services().add(std::move(added));
  }
  void greet(std::uint64_t number, const Bytes& body = {}) {
    service->tell(engine.peer(1), greeting, {}, as_prefix(Greeting{number}), body);
  }
  void be_greeted(int from, std::uint64_t number, const Bytes& body = {}) {
    device.deliver(from, greeting, Greeting{number}, {}, body);
  }
  /// The message that comes from rank 1 is refused with this sentence.
  void expect_refused(Kind kind, const Bytes& prefix, const Bytes& body, const std::string& what,
                      transport::Header wrong = header(1, 7)) {
    wrong.kind = static_cast<std::uint8_t>(kind);
    std::string text = "nothing was refused";
    try {
      engine.handle(1, wrong, prefix, body);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::intern);
      text = error.what();
    }
    EXPECT_NE(text.find("a message from rank 1 is wrong"), std::string::npos) << text;
    EXPECT_NE(text.find(what), std::string::npos) << text;
    EXPECT_TRUE(service->kept.empty());
  }
  Keeper* service;
};

}  // namespace bowline::proto
