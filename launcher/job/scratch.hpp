// SPDX-License-Identifier: BSD-3-Clause
// The private directory of a job: PMIx's files, and sockets at which ranks find the launcher and each other.
//
// The directory is locked (flock) as long as the job's process lives. If that process and mpiexec are both killed, the
// directory is left behind, unlocked, and a later start of the same user on the same boot of this machine removes it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace bowline::launcher {

/// Where scratch directories may be made, the preferred place first: TMPDIR, /tmp, XDG_RUNTIME_DIR, /dev/shm, /var/tmp.
/// `value`: of an environment variable, such as std::getenv.
std::vector<std::filesystem::path> scratch_places(const char* (*value)(const char* name));

/// Names a scratch directory; make() makes it. mpiexec and the job's process have a copy of this object each, so that
/// either can remove the directory.
class Scratch {
 public:
  explicit Scratch(std::vector<std::filesystem::path> places);

  /// Makes and locks the directory in the first place where that is possible. Returns its path; empty if no place can
  /// be written. The lock ends with this process.
  std::filesystem::path make();
  /// Removes the directory, wherever the job's process has made it. Does nothing if there is none. Prints a message if
  /// the removal fails.
  void remove() const;
  /// Lets a child process remove the directory as soon as this process has ended, because a thread of this process may
  /// still make files in it. If no child process can be made, removes it at once.
  void remove_after_exit() const;
  /// Removes the directories of dead jobs of this user. Passes over directories of another user, of another machine or
  /// boot, and of a job that lives.
  void remove_dead() const;

 private:
  std::vector<std::filesystem::path> places_;
  std::string
      boot_;  ///< the part of the name that stands for this boot of this machine; empty if the boot is not known
  std::string name_;
};

}  // namespace bowline::launcher
