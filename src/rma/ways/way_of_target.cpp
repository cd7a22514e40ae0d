// SPDX-License-Identifier: BSD-3-Clause
#include "rma/ways/way_of_target.hpp"

#include "base/tunable.hpp"

namespace bowline::rma {
namespace {

ChoiceTunable way_tunable{"rma_way",
                          {"auto", "attached", "adapter", "messages"},
                          "how one-sided operations reach the memory of other processes: auto, in the fastest way that "
                          "there is for each; otherwise in this way where it is possible, and by messages elsewhere"};

}  // namespace

std::string_view name_of(WayKind kind) noexcept {
  switch (kind) {
    case WayKind::mapped:
      return "mapped";
    case WayKind::attached:
      return "attached";
    case WayKind::adapter:
      return "adapter";
    case WayKind::messages:
      return "messages";
  }
  return {};
}

/// On a node all who accumulate to a target exclude each other, whichever of these ways they use. Accumulates of other
/// nodes are executed by the target's process.
WayChoice choose_way(const Reachability& target) noexcept {
  using enum WayKind;
  if (target.own) return {mapped, mapped};
  if (only_messages()) return {messages, messages};
  if (target.mapped && !(only_attaches() && target.attachable)) return {mapped, mapped};
  if (target.attachable) return {attached, attached};
  const bool wanted = way_tunable.value() == "adapter" && target.network != transport::RemoteAccess::none;
  if (!target.dynamic && (wanted || target.network == transport::RemoteAccess::native)) return {adapter, messages};
  return {messages, messages};
}

bool only_attaches() noexcept {
  return way_tunable.value() == "attached";
}

bool only_messages() noexcept {
  return way_tunable.value() == "messages";
}

}  // namespace bowline::rma
