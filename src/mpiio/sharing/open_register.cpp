// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/sharing/open_register.hpp"

namespace bowline::mpiio {
namespace {

constexpr Offset first_byte = Offset{1} << 61;
constexpr Offset numbers = Offset{1} << 48;

}  // namespace

OpenRegister::OpenRegister(Storage& storage, std::uint64_t number) noexcept
    : storage_(storage), number_(static_cast<Offset>(number % static_cast<std::uint64_t>(numbers))) {}

Extent OpenRegister::gate() const noexcept {
  return {first_byte, first_byte + 1};
}

Extent OpenRegister::own() const noexcept {
  return {first_byte + 1 + number_, first_byte + 2 + number_};
}

int OpenRegister::enter() noexcept {
  if (const int error = storage_.lock(own(), LockKind::exclusive); error != 0) return error;
  if (const int error = storage_.lock(gate(), LockKind::exclusive); error != 0) return error;
  return storage_.unlock(gate());
}

/// Whether another open has registered, or that is unknown.
bool OpenRegister::others() noexcept {
  bool before = false, behind = false;
  const Extent lower{first_byte + 1, own().begin}, upper{own().end, first_byte + 1 + numbers};
  const bool known = (lower.empty() || storage_.find_lock(lower, before) == 0) &&
                     (upper.empty() || storage_.find_lock(upper, behind) == 0);
  return !known || before || behind;
}

bool OpenRegister::pass_gate() noexcept {
  const std::lock_guard hold(mutex_);
  if (inside_ == 0 && storage_.lock(gate(), LockKind::shared) != 0) return false;
  ++inside_;
  return true;
}

void OpenRegister::leave_gate() noexcept {
  const std::lock_guard hold(mutex_);
  if (--inside_ == 0) storage_.unlock(gate());
}

OpenRegister::Alone::Alone(OpenRegister& opens) noexcept : opens_(opens) {
  if (!opens_.pass_gate()) return;
  holds_ = !opens_.others();
  if (!holds_) opens_.leave_gate();
}

OpenRegister::Alone::~Alone() {
  if (holds_) opens_.leave_gate();
}

}  // namespace bowline::mpiio
