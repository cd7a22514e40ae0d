// SPDX-License-Identifier: BSD-3-Clause
// Error codes that the program adds to those of MPI (MPI-5.0, section 9.5): classes, codes of a class, and strings.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

namespace bowline {

/// Thread-safe. Invalid requests throw Error (MPI_ERR_ARG).
class ErrorCodes {
 public:
  /// The last number that MPI may use itself (MPI_ERR_LASTCODE).
  static constexpr int last_predefined = 16383;

  int add_class();
  int add_code(int error_class);
  void set_string(int code, std::string text);
  /// The class must have no codes and no string left.
  void remove_class(int error_class);
  /// The code must have no string.
  void remove_code(int code);
  void remove_string(int code);

  /// The class of a code, including MPI's own codes; none for an unknown code.
  std::optional<int> class_of(int code) const;
  /// The string of a code, including MPI's own codes; none for an unknown code. Empty for a code without a string.
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
  static void refuse_with_string(const Entry& entry, int code, const char* what);

  mutable std::mutex mutex_;
  std::map<int, Entry> added_;
};

/// The codes of this process; usable before MPI_Init and after MPI_Finalize.
ErrorCodes& error_codes();

}  // namespace bowline
