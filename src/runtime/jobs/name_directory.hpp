// SPDX-License-Identifier: BSD-3-Clause
// The directory in which a user's processes publish names (MPI-5.0, chapter 11): one file for each service name.
//
// It needs no server and no launcher, and serves several nodes if it is on a file system that they share. A name is
// published by a link to a complete file: of several processes exactly one succeeds, and no reader sees half an entry.
// What changes or removes an existing entry holds a lock, because it must first look whose entry that is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "node/descriptor.hpp"
#include "runtime/jobs/name_entry.hpp"

namespace bowline::runtime {

/// An open directory. Each operation looks at the files anew. Thread-safe; movable.
class NameDirectory {
 public:
  /// What publish() does with an entry of a process that has not ended.
  enum class Existing : bool { keep, replace };

  /// Makes the directory if it does not exist. Throws Error, as make_private_directory() does.
  static NameDirectory make(const std::string& path);
  /// As make(), but nothing if the directory does not exist.
  static std::optional<NameDirectory> find(const std::string& path);

  /// Publishes the port as this process. Throws Error (service) if the name is published already, or if the file of
  /// the service is not this directory's; Error of another class if the system refuses.
  void publish(std::string_view service, std::string_view port, Existing existing) const;

  struct Found {
    std::optional<std::string> port;  ///< nothing: not published
    std::string why;                  ///< if not published: a clause such as "no process has published it in DIR"
  };
  /// Removes the entry if its publisher has ended. Throws Error (name) if the file of the service is not this
  /// directory's; Error of another class if the system refuses.
  Found look_up(std::string_view service) const;
  /// What look_up() says in a directory that does not exist.
  static Found nothing_in(const std::string& path);

  /// Removes the entry, whichever process has published it. Throws Error (service) if the name is not published, or
  /// with another port; Error of another class if the system refuses.
  void unpublish(std::string_view service, std::string_view port) const;

  /// Throws what unpublish() throws if the name is not published.
  [[noreturn]] static void refuse_to_unpublish(std::string_view service, const std::string& path);

  /// Removes the entry if this process has published it. Throws Error if the system refuses.
  void withdraw(std::string_view service) const;

 private:
  class Lock;
  class Draft;

  NameDirectory(std::string path, node::Descriptor directory);
  std::optional<NameEntry> read(const std::string& file, ErrorClass if_foreign) const;
  bool link(const std::string& from, const std::string& to) const;
  void rename(const std::string& from, const std::string& to) const;
  void remove(const std::string& file) const;
  void remove_ended(const NameEntry& entry, const std::string& file) const;
  std::string path_of(std::string_view file) const { return path_ + '/' + std::string(file); }

  std::string path_;
  node::Descriptor directory_;
};

}  // namespace bowline::runtime
