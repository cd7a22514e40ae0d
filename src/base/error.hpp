// SPDX-License-Identifier: BSD-3-Clause
// Errors as values: a class of the MPI standard and one sentence for the user.
#pragma once

#include <exception>
#include <string>
#include <utility>

namespace bowline {

/// The error classes that Bowline raises. The numbers are the numbers of the standard ABI (MPI-5.0, section 21.3).
enum class ErrorClass : int {
  success = 0,
  buffer = 1,
  count = 2,
  type = 3,
  tag = 4,
  comm = 5,
  rank = 6,
  request = 7,
  root = 8,
  group = 9,
  op = 10,
  topology = 11,
  dims = 12,
  arg = 13,
  unknown = 14,
  truncate = 15,
  other = 16,
  intern = 17,
  pending = 18,
  in_status = 19,
  access = 20,
  amode = 21,
  assertion = 22,
  bad_file = 23,
  base = 24,
  conversion = 25,
  disp = 26,
  dup_datarep = 27,
  file_exists = 28,
  file_in_use = 29,
  file = 30,
  info_key = 31,
  info_nokey = 32,
  info_value = 33,
  info = 34,
  io = 35,
  keyval = 36,
  locktype = 37,
  name = 38,
  no_mem = 39,
  not_same = 40,
  no_space = 41,
  no_such_file = 42,
  port = 43,
  quota = 44,
  read_only = 45,
  rma_attach = 46,
  rma_conflict = 47,
  rma_range = 48,
  rma_shared = 49,
  rma_sync = 50,
  service = 51,
  size = 52,
  spawn = 53,
  unsupported_datarep = 54,
  unsupported_operation = 55,
  win = 56,
  rma_flavor = 57,
  proc_aborted = 58,
  session = 60,
  errhandler = 61,
  abi = 62,
  last_predefined = abi,
  // Classes of include/mpi-ext.h. The standard gives out numbers from below (section 21.3), these lie far above.
  first_extension = 16128,
  timeout = first_extension,
  proc_failed = 16129,
  proc_failed_pending = 16130,
  revoked = 16131,
  last_extension = revoked,
};

/// The general sentence for an error class, as MPI_Error_string returns it; nullptr if the number is not a class.
const char* describe(ErrorClass error_class) noexcept;

/// Whether an error of this class says that processes cannot be reached any more, not that this call is at fault.
/// Members of a collective operation tell each other such errors.
constexpr bool tells_loss(ErrorClass error_class) noexcept {
  return error_class == ErrorClass::proc_aborted || error_class == ErrorClass::proc_failed ||
         error_class == ErrorClass::revoked;
}

/// A failed operation. Thrown only where an operation fails: the entry point catches it and calls the error handler.
class Error : public std::exception {
 public:
  /// `text` says what failed, which argument or peer, its value, and what is allowed. `lost`: the rank of the
  /// process of this job whose end is the cause; negative for any other cause.
  Error(ErrorClass error_class, std::string text, int lost = -1)
      : error_class_(error_class), lost_(lost), text_(std::move(text)) {}

  ErrorClass error_class() const noexcept { return error_class_; }
  int lost() const noexcept { return lost_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  ErrorClass error_class_;
  int lost_;
  std::string text_;
};

}  // namespace bowline
