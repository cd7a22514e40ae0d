// SPDX-License-Identifier: BSD-3-Clause
#include "base/error_codes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/error.hpp"

namespace bowline {
namespace {

const char* predefined(int code) noexcept {
  return code < 0 ? nullptr : describe(static_cast<ErrorClass>(code));
}

}  // namespace

ErrorCodes& error_codes() {
  static auto* const codes = new ErrorCodes;  // not destroyed by exit(): the program may still query errors
  return *codes;
}

int ErrorCodes::add(std::optional<int> error_class) {
  const int number = added_.empty() ? last_predefined + 1 : added_.rbegin()->first + 1;
  added_[number] = {error_class.value_or(number), std::nullopt};
  return number;
}

int ErrorCodes::add_class() {
  const std::lock_guard hold(mutex_);
  return add(std::nullopt);
}

int ErrorCodes::add_code(int error_class) {
  const std::lock_guard hold(mutex_);
  const auto found = added_.find(error_class);
  const bool is_class =
      found == added_.end() ? predefined(error_class) != nullptr : found->second.error_class == error_class;
  if (!is_class) {
    throw Error(ErrorClass::arg, fmt::format("errorclass is {}, but it must be a class of MPI or one made by "
                                             "MPI_Add_error_class",
                                             error_class));
  }
  return add(error_class);
}

/// The class or code that the program has added under this number. The error message names the argument as MPI does.
ErrorCodes::Entry& ErrorCodes::added(int code, bool is_class, const char* what) {
  const auto found = added_.find(code);
  const bool fits = found != added_.end() && (!is_class || found->second.error_class == code);
  if (!fits) {
    throw Error(ErrorClass::arg, fmt::format("{} is {}, which the program has not added: only what it added itself can "
                                             "be changed or removed",
                                             what, code));
  }
  return found->second;
}

void ErrorCodes::refuse_with_string(const Entry& entry, int code, const char* what) {
  if (!entry.text) return;
  throw Error(ErrorClass::arg, fmt::format("{} is {}, which still has an error string: call MPI_Remove_error_string "
                                           "first",
                                           what, code));
}

void ErrorCodes::set_string(int code, std::string text) {
  const std::lock_guard hold(mutex_);
  added(code, false, "errorcode").text = std::move(text);
}

void ErrorCodes::remove_class(int error_class) {
  const std::lock_guard hold(mutex_);
  const Entry& removed = added(error_class, true, "errorclass");
  const auto code = std::ranges::find_if(
      added_, [=](const auto& entry) { return entry.first != error_class && entry.second.error_class == error_class; });
  if (code != added_.end()) {
    throw Error(ErrorClass::arg, fmt::format("errorclass is {}, which still has the error code {}: remove that first",
                                             error_class, code->first));
  }
  refuse_with_string(removed, error_class, "errorclass");
  added_.erase(error_class);
}

void ErrorCodes::remove_code(int code) {
  const std::lock_guard hold(mutex_);
  const Entry& removed = added(code, false, "errorcode");
  if (removed.error_class == code) {
    throw Error(ErrorClass::arg,
                fmt::format("errorcode is {}, which is an error class: call MPI_Remove_error_class", code));
  }
  refuse_with_string(removed, code, "errorcode");
  added_.erase(code);
}

void ErrorCodes::remove_string(int code) {
  const std::lock_guard hold(mutex_);
  Entry& entry = added(code, false, "errorcode");
  if (!entry.text) throw Error(ErrorClass::arg, fmt::format("errorcode is {}, which has no string to remove", code));
  entry.text.reset();
}

std::optional<int> ErrorCodes::class_of(int code) const {
  if (predefined(code) != nullptr) return code;
  const std::lock_guard hold(mutex_);
  const auto found = added_.find(code);
  return found == added_.end() ? std::nullopt : std::optional(found->second.error_class);
}

std::optional<std::string> ErrorCodes::string_of(int code) const {
  if (const char* const text = predefined(code)) return text;
  const std::lock_guard hold(mutex_);
  const auto found = added_.find(code);
  return found == added_.end() ? std::nullopt : std::optional(found->second.text.value_or(""));
}

int ErrorCodes::last_used() const {
  const std::lock_guard hold(mutex_);
  return added_.empty() ? last_predefined : added_.rbegin()->first;
}

}  // namespace bowline
