// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/path_of_target.hpp"

#include "base/tunable.hpp"

namespace bowline::rma {
namespace {

ChoiceTunable path_tunable(
    Category::one_sided, "rma_path", {"auto", "single_copy", "adapter", "messages"},
    "how one-sided operations reach the memory of other processes: auto, by the fastest path that "
    "there is for each; otherwise by this path where it is possible, and by messages elsewhere");

}  // namespace

std::string_view name_of(PathKind kind) noexcept {
  switch (kind) {
    case PathKind::mapped:
      return "mapped";
    case PathKind::single_copy:
      return "single_copy";
    case PathKind::adapter:
      return "adapter";
    case PathKind::messages:
      return "messages";
  }
  return {};
}

/// On a node all who accumulate to a target exclude each other, whichever of these paths they use. Accumulates of other
/// nodes are executed by the target's process.
PathChoice choose_path(const Reachability& target) noexcept {
  using enum PathKind;
  if (target.own) return {mapped, mapped};
  if (only_messages()) return {messages, messages};
  if (target.mapped && !(only_single_copy() && target.single_copy)) return {mapped, mapped};
  if (target.single_copy) return {single_copy, single_copy};
  const bool wanted = path_tunable.value() == "adapter" && target.network != transport::RemoteAccess::none;
  if (!target.dynamic && (wanted || target.network == transport::RemoteAccess::native)) return {adapter, messages};
  return {messages, messages};
}

bool only_single_copy() noexcept {
  return path_tunable.value() == "single_copy";
}

bool only_messages() noexcept {
  return path_tunable.value() == "messages";
}

}  // namespace bowline::rma
