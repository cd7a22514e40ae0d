// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/rendezvous/joining.hpp"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "wireup/rendezvous/sockets.hpp"

namespace bowline::wireup {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds between_attempts{100};
// A process that has reached the server waits so much longer for the server's own sentence, which says how many
// processes have come.
constexpr std::chrono::seconds time_to_hear_why{5};

class Joining {
 public:
  Joining(const RendezvousLine& line, Arrival who, std::chrono::seconds patience)
      : line_(line), who_(std::move(who)), patience_(patience), until_(begin_ + patience) {
    who_.secret = line.secret;
    who_.size = line.size;
    who_.wanted = line.rank.value_or(-1);
  }

  Joined run() {
    while (true) {
      if (std::optional<Joined> joined = attempt()) return *std::move(joined);
      if (Clock::now() >= until_) refuse(why_late());
      std::this_thread::sleep_for(between_attempts);
    }
  }

 private:
  /// Nothing if the process is to try again.
  std::optional<Joined> attempt() {
    const Addresses addresses(line_);
    const int listener = listen_at(addresses, line_);
    who_.serves = listener >= 0;
    std::unique_ptr<RendezvousServer> server;
    if (who_.serves) server = std::make_unique<RendezvousServer>(listener, line_, who_.version, left());
    const int descriptor = connect_to(addresses, until_, problem_);
    if (descriptor < 0) return {};
    Channel channel(descriptor, longest_rendezvous_message);
    channel.add(who_.message());
    came_ = 0;
    problem_ = "what listens there does not answer; does another program use the port?";
    if (!channel.flush()) return {};
    std::optional<Welcome> welcome = hear(channel);
    if (!welcome) return {};
    return Joined{.server = std::move(server), .channel = std::move(channel), .welcome = *std::move(welcome)};
  }

  /// What is left of the patience, at least a second.
  std::chrono::seconds left() const {
    return std::max(std::chrono::ceil<std::chrono::seconds>(begin_ + patience_ - Clock::now()),
                    std::chrono::seconds(1));
  }

  /// Nothing if the other end is gone, if the world is full, or if time is up.
  std::optional<Welcome> hear(Channel& channel) {
    while (true) {
      while (std::optional<std::vector<std::byte>> bytes = next(channel)) {
        MessageReader message(*std::move(bytes));
        switch (kind_of(message)) {
          case RendezvousAnswer::welcome:
            return Welcome::read(message);
          case RendezvousAnswer::refusal:
            refuse(message.take_text());
          case RendezvousAnswer::came:
            came_ = message.take<int>();
            until_ = begin_ + patience_ + time_to_hear_why;
            break;
          case RendezvousAnswer::full:
            problem_ = fmt::format("a world of {} processes with this line runs there", line_.size);
            return {};
          default:
            refuse_stranger();
        }
      }
      pollfd readable{.fd = channel.descriptor(), .events = POLLIN, .revents = 0};
      const auto rest = std::chrono::ceil<std::chrono::milliseconds>(until_ - Clock::now()).count();
      if (rest <= 0) return {};
      poll(&readable, 1, static_cast<int>(std::min<std::int64_t>(rest, 1000 * 1000)));
      if (readable.revents != 0 && !channel.receive()) {
        problem_ = "the connection to the process that served there has ended";
        return {};
      }
    }
  }

  std::optional<std::vector<std::byte>> next(Channel& channel) const {
    try {
      return channel.next();
    } catch (const Error&) {
      refuse_stranger();
    }
  }
  RendezvousAnswer kind_of(MessageReader& message) const {
    try {
      return message.take<RendezvousAnswer>();
    } catch (const Error&) {
      refuse_stranger();
    }
  }

  std::string why_late() const {
    if (came_ > 0) {
      return fmt::format(
          "only {} of the {} processes have come in {} s: start them all with the same line, or give "
          "them more time with BOWLINE_RENDEZVOUS_TIMEOUT",
          came_, line_.size, patience_.count());
    }
    return fmt::format(
        "no process has served there in {} s ({}): one of the processes must run on the host that the "
        "line names, and the others must reach it there",
        patience_.count(), problem_);
  }
  [[noreturn]] void refuse_stranger() const {
    refuse("another program, which is no rendezvous of Bowline, answers at this port: choose another one");
  }
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorClass::other, fmt::format("{} ({}): {}", RendezvousLine::variable, line_.place(), why));
  }

  RendezvousLine line_;
  Arrival who_;
  std::chrono::seconds patience_;
  Clock::time_point begin_ = Clock::now();
  Clock::time_point until_;
  std::string problem_;
  int came_ = 0;  ///< how many had come when the server last said so
};

}  // namespace

Joined join_rendezvous(const RendezvousLine& line, Arrival who, std::chrono::seconds patience) {
  return Joining(line, std::move(who), patience).run();
}

}  // namespace bowline::wireup
