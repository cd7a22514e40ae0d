// SPDX-License-Identifier: BSD-3-Clause
// A file of the system that ends with the test.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <cstdlib>
#include <stdexcept>
#include <string>

#include "node/handover.hpp"

namespace bowline::mpiio {

class TemporaryFile {
 public:
  TemporaryFile() {
    const int made = mkstemp(path_.data());
    if (made < 0) throw std::runtime_error("no temporary file can be made");
    ::close(made);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { unlink(path_.c_str()); }

  /// A new open of it.
  node::Descriptor open(int flags = O_RDWR) const { return node::Descriptor(::open(path_.c_str(), flags | O_CLOEXEC)); }

 private:
  std::string path_ =
      std::string(std::getenv("TMPDIR") == nullptr ? "/tmp" : std::getenv("TMPDIR")) + "/bowline-XXXXXX";
};

}  // namespace bowline::mpiio
