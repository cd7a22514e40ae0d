// SPDX-License-Identifier: BSD-3-Clause
// For libraries that complain when the current directory has been removed.
#pragma once

namespace bowline {

/// While the object lives, the process is in "/" if its current directory does not exist any more, because no relative
/// name leads anywhere from a removed directory. Does nothing if the current directory exists.
class InExistingDirectory {
 public:
  InExistingDirectory() noexcept;
  ~InExistingDirectory();
  InExistingDirectory(const InExistingDirectory&) = delete;
  InExistingDirectory& operator=(const InExistingDirectory&) = delete;

 private:
  int removed_ = -1;  ///< the directory to which the destructor returns
};

}  // namespace bowline
