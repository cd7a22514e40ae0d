// SPDX-License-Identifier: BSD-3-Clause
// Error codes that the program adds to those of MPI (MPI-5.0, section 9.5): classes, codes of a class, and strings.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace bowline {

/// Safe for several threads. What is refused throws Error (MPI_ERR_ARG).
class ErrorCodes {
 public:
  /// The last number that MPI may use itself (MPI_ERR_LASTCODE).
  static constexpr int last_predefined = 16383;

  int add_class();
  int add_code(int error_class);
  void set_string(int code, std::string text);
  /// It must have no codes left.
  void remove_class(int error_class);
  /// It must have no string.
  void remove_code(int code);
  void remove_string(int code);

  /// The class of a code, MPI's own included; none if it is no code.
  std::optional<int> class_of(int code) const;
  /// Its string, MPI's own included; none if it is no code. A code that has been given none has an empty one.
  std::optional<std::string> string_of(int code) const;
  /// The largest number in use (MPI_LASTUSEDCODE).
  int last_used() const;

 private:
  struct Entry {
    int error_class;
    std::optional<std::string> text;
  };
  int add(std::optional<int> error_class);
  Entry& added(int code, bool is_class, const char* what);

  mutable std::mutex mutex_;
  std::map<int, Entry> added_;
};

/// Those of this process; there before MPI_Init and after MPI_Finalize.
ErrorCodes& error_codes();

}  // namespace bowline
