// SPDX-License-Identifier: BSD-3-Clause
#include "proto/timers.hpp"

namespace bowline::proto {

SwitchedTimer copying(Category::messages, "copying",
                      "time in which calls copy data of long messages; measured while a tool has a handle of this "
                      "variable");
SwitchedTimer matching(Category::messages, "matching",
                       "time in which calls search for the message of a receive, or beyond the first receive for that "
                       "of a message; measured while a tool has a handle of this variable");

}  // namespace bowline::proto
