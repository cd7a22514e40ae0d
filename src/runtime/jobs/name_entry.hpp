// SPDX-License-Identifier: BSD-3-Clause
// What the name directory keeps of a published name: a file of its own, with a few lines of text.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace bowline::runtime {

/// The process that has published a name.
struct Publisher {
  std::string host;
  std::string boot;                 ///< the kernel's boot id: differs between machines, and after a restart
  std::uint64_t pid_namespace = 0;  ///< in which `process` is a process id
  pid_t process = 0;
  std::uint64_t started = 0;  ///< start time of the process in clock ticks since the boot; 0: not known

  bool operator==(const Publisher&) const = default;

  static Publisher this_process();
  /// Whether the process has certainly ended. Of a process of another machine or pid namespace that is never certain.
  bool has_ended() const;
  /// "process 12 on host n1", for sentences.
  std::string in_words() const;
};

struct NameEntry {
  std::string service;
  std::string port;
  Publisher publisher;

  /// The content of the file.
  std::string text() const;
};

/// What a file of the directory holds.
struct NameFile {
  enum class Kind : std::uint8_t {
    entry,
    unfinished,  ///< the beginning of an entry, or nothing: a machine has failed while it was written
    foreign,     ///< something else, such as a file of the user, or an entry of another version of Bowline
  };
  Kind kind = Kind::foreign;
  NameEntry entry;

  static NameFile parse(std::string_view text);
};

/// The name of the file for a service. Different services may have the same file only if their names are long; the
/// entry tells whose file it is. At most 200 bytes, never beginning with a dot.
std::string file_name_of(std::string_view service);

/// A name of the program for sentences: in quotes, cut if it is long, with '?' in place of control characters.
std::string in_quotes(std::string_view name);

}  // namespace bowline::runtime
