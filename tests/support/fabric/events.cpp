// SPDX-License-Identifier: BSD-3-Clause
#include "support/fabric/events.hpp"

#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"
#include "support/fabric/subnet.hpp"

namespace fabric {
namespace {

struct SocketName {
  sockaddr_un address;
  socklen_t length;
};

// In the abstract name space, where nothing is left behind.
SocketName name_of(const Channel& channel) {
  SocketName name{};
  name.address.sun_family = AF_UNIX;
  const int written = std::snprintf(name.address.sun_path + 1, sizeof name.address.sun_path - 1, "fabric-%s-%llu",
                                    settings().id.c_str(), static_cast<unsigned long long>(channel.number));
  name.length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + static_cast<std::size_t>(written));
  return name;
}

int sender() {
  static const int descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  return descriptor;
}

// A full queue is readable already; a socket that is gone belongs to a process that is.
void wake(const Channel& channel) {
  const SocketName name = name_of(channel);
  const char byte = 0;
  if (sendto(sender(), &byte, 1, MSG_NOSIGNAL, reinterpret_cast<const sockaddr*>(&name.address), name.length) < 0 &&
      errno != EAGAIN && errno != ECONNREFUSED && errno != ENOENT) {
    misuse("an event cannot be sent: %s", std::strerror(errno));
  }
}

}  // namespace

int open_channel(int& descriptor) {
  auto& channels = subnet().channels;
  auto* entry = std::find_if(std::begin(channels), std::end(channels), [](auto& one) { return one.process == nobody; });
  if (entry == std::end(channels)) misuse("the fabric has %d channels already", most_channels);
  entry->process = own_process();
  entry->number = ++subnet().next_number;
  entry->first = entry->count = 0;
  const SocketName name = name_of(*entry);
  descriptor = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (descriptor < 0 || bind(descriptor, reinterpret_cast<const sockaddr*>(&name.address), name.length) != 0) {
    misuse("a channel's socket cannot be made: %s", std::strerror(errno));
  }
  return static_cast<int>(entry - channels);
}

void close_channel(int channel, int descriptor) {
  subnet().channels[channel].process = nobody;
  close(descriptor);
}

void add_event(int number, std::uint64_t object, int type) {
  Channel& channel = subnet().channels[number];
  if (channel.count == most_events) misuse("%d events wait in a channel that nobody reads", most_events);
  channel.events[(channel.first + channel.count++) % most_events] = {object, type};
  wake(channel);
}

void forget_events(int number, std::uint64_t object) {
  Channel& channel = subnet().channels[number];
  int kept = 0;
  for (int index = 0; index != channel.count; ++index) {
    const Event event = channel.events[(channel.first + index) % most_events];
    if (event.object != object) channel.events[(channel.first + kept++) % most_events] = event;
  }
  channel.count = kept;
}

bool take_event(int number, int descriptor, std::uint64_t& object, int& type) {
  for (;;) {
    char byte = 0;
    if (recv(descriptor, &byte, 1, 0) < 0) {
      if (errno == EINTR) continue;
      return false;
    }
    const SubnetLock lock;
    Channel& channel = subnet().channels[number];
    if (channel.count == 0) continue;  // its event was forgotten
    const Event event = channel.events[channel.first];
    channel.first = (channel.first + 1) % most_events;
    int readable = 0;
    if (--channel.count != 0 && (ioctl(descriptor, FIONREAD, &readable) != 0 || readable == 0)) wake(channel);
    object = event.object;
    type = event.type;
    return true;
  }
}

}  // namespace fabric
