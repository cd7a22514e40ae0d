// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_settings.hpp"

#include <algorithm>
#include <string_view>

#include "transport/striping/rail.hpp"
#include "verbs/connection/verbs_wire.hpp"

namespace bowline::verbs {

TextTunable device_choice(Category::networks, "verbs_device", "NAME or NAME:PORT; several with commas between",
                          "the RDMA adapters to use, by their names in /sys/class/infiniband, each with the number of "
                          "its port if it has several. The first one carries all short messages, and all of them carry "
                          "parts of long ones. Empty: the nearest adapter with an active port, and others like it "
                          "(verbs_rails)");
Tunable<std::size_t> rails_choice(
    Category::networks, "verbs_rails", 2, 1, transport::most_rails,
    "most RDMA adapters that share the work of a long message, unless verbs_device names them: the nearest one, and "
    "others that are as near, as fast and on the same fabric");
Tunable<std::size_t> stripe_from(Category::networks, "verbs_stripe_from", 128 << 10, 8 << 10, std::size_t{1} << 40,
                                 "shortest message of which several RDMA adapters carry a part each, in bytes");
Tunable<int> gid_index_choice(
    Category::networks, "verbs_gid_index", -1, -1, 255,
    "the entry of the port's table of GIDs that this process uses as its address; -1: RoCE v2 "
    "on IPv4 where it is, else the first valid entry");
Tunable<std::size_t> partition_choice(Category::networks, "verbs_partition_key", 0, 0, 0xffff,
                                      "the partition key of connections, as the subnet manager has given it to the "
                                      "port; 0: the first one of the port");
Tunable<int> service_level(Category::networks, "verbs_service_level", 0, 0, 15,
                           "the service level of connections between RDMA adapters");
Tunable<int> traffic_class(
    Category::networks, "verbs_traffic_class", 0, 0, 255,
    "the traffic class of packets between RoCE adapters: the byte of the IP header that holds the DSCP in its upper "
    "six "
    "bits and ECN in the lower two; 0 with the connection manager: what the administrator has set for it");
Tunable<int> mtu_choice(Category::networks, "verbs_mtu", 0, 0, 4096,
                        "longest packet between RDMA adapters in bytes: 256, 512, 1024, 2048 or 4096; 0, or more than "
                        "one of both ports can: what both can");
Tunable<int> contact_patience(TunableTraits(Category::losses).at_any_time(), "verbs_contact_patience", 10, 0, 3600,
                              "seconds for which a rank may be out of reach, at first contact or after its link has "
                              "failed, before it counts as lost");
ChoiceTunable connect_choice(
    Category::networks, "verbs_connect", {"auto", "direct", "cm"},
    "how queue pairs of RDMA adapters that Bowline uses by itself are connected: direct, by Bowline; cm, by the "
    "connection manager (librdmacm), which needs an IP address at the adapter's network interface; auto: cm on iWARP "
    "and between InfiniBand subnets, else direct");

namespace {

Tunable<std::size_t> eager_tunable(Category::networks, "verbs_eager_bytes", 4096, 256, 64 << 10,
                                   "longest message sent through an RDMA adapter before its receiver asks for it, and "
                                   "length of the buffers for such messages (1 KiB at least), in bytes");
Tunable<std::size_t> verbs_remote_from(
    Category::networks, "verbs_remote_from", 4097, 0, std::size_t{1} << 40,
    "shortest message that an RDMA adapter reads from the sender's memory, or writes "
    "to the receiver's, in bytes; verbs_remote_memory chooses");
ChoiceTunable verbs_remote_memory(
    Category::networks, "verbs_remote_memory", {"get", "put", "never"},
    "how long messages travel over an RDMA adapter that Bowline uses by itself: get, the receiver's adapter reads the "
    "sender's memory; put, the sender's adapter writes to the receiver's; never, in pieces that are copied");

}  // namespace

// The messages of the protocols may be longer than the longest eager message.
std::size_t longest_message() noexcept {
  return std::max(eager_tunable.value() + max_prefix, transport::least_max_body);
}

transport::Limits verbs_limits(std::size_t max_inline, bool atomics, std::size_t theirs) noexcept {
  const std::size_t longest = std::min(longest_message(), std::max(theirs, transport::least_max_body));
  const std::size_t eager = std::min(eager_tunable.value(), longest - max_prefix);
  const std::string_view chosen = verbs_remote_memory.value();
  const std::size_t from = verbs_remote_from.value();
  const auto inline_body = max_inline > sizeof(WireHeader) ? max_inline - sizeof(WireHeader) : 0;
  return {.max_body = longest,
          .max_prefix = max_prefix,
          .inline_body = std::min(inline_body, eager),
          .eager_limit = chosen == "never" ? eager : std::min(eager, from),
          .get_from = chosen == "get" ? from : transport::never,
          .put_from = chosen == "put" ? from : transport::never,
          .put_blocks_from = chosen == "never" ? transport::never : from,
          .travels = true,
          .access = transport::RemoteAccess::native,
          .atomics = atomics ? transport::RemoteAccess::native : transport::RemoteAccess::none};
}

}  // namespace bowline::verbs
