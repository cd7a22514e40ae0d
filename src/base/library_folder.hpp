// SPDX-License-Identifier: BSD-3-Clause
// Where this library lies, beside which its programs are found.
#pragma once

#include <string>

namespace bowline {

/// The folder of the library, or of the program into which this code is linked.
std::string library_folder();

}  // namespace bowline
