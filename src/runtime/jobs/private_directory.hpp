// SPDX-License-Identifier: BSD-3-Clause
// Directories that only this user can enter, for files by which processes of the user find each other.
#pragma once

#include <string>

#include "node/descriptor.hpp"

namespace bowline::runtime {

/// Opens the directory; makes it with mode 700 if it does not exist, and those above it. Throws Error (access) unless
/// it belongs to this user, is no link, and grants nothing to others; Error of another class if the system refuses.
node::Descriptor make_private_directory(const std::string& path);

/// As above, but makes no directory: no descriptor if it does not exist.
node::Descriptor open_private_directory(const std::string& path);

}  // namespace bowline::runtime
