// SPDX-License-Identifier: BSD-3-Clause
// Where this library lies, beside which its programs are found.
#pragma once

#include <string>

namespace bowline {

/// The folder of the library, or of the program into which this code is linked.
std::string library_folder();

/// The path of a file that is installed in lib/bowline, for the library and programs in bin, in a build tree, too.
/// Empty if it is not there.
std::string companion_file(const std::string& name);

}  // namespace bowline
