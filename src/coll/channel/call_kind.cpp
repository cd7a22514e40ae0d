// SPDX-License-Identifier: BSD-3-Clause
#include "coll/channel/call_kind.hpp"

#include <fmt/format.h>

#include <cctype>

namespace bowline::coll {
namespace {

std::string function(Operation operation, CallForm form) {
  std::string name(name_of(operation));
  if (form == CallForm::internal) return fmt::format("a function that makes communicators (its {})", name);
  if (form == CallForm::nonblocking) return "MPI_I" + name;
  name.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(name.front())));
  return form == CallForm::persistent ? fmt::format("MPI_{}_init", name) : "MPI_" + name;
}

}  // namespace

std::string in_words(CallKind kind) {
  if (kind == CallKind::making_communicator()) return "a function that makes communicators";
  if (kind == CallKind::making_window()) return "a function that makes or frees windows";
  if (kind == CallKind::file_access()) return "a collective function of files";
  const int index = kind.value_ % CallKind::forms_apart - 1;
  if (index < 0 || index >= operations || kind.value_ >= 4 * CallKind::forms_apart) return "an unknown function";
  return function(static_cast<Operation>(index), static_cast<CallForm>(kind.value_ / CallKind::forms_apart));
}

}  // namespace bowline::coll
