// SPDX-License-Identifier: BSD-3-Clause
// What gdb's commands print (gdb_commands.py), which load this library for it. Not a part of the interface of mqs.hpp.
#pragma once

#include <cstdint>

#pragma GCC visibility push(default)
extern "C" {

/// Copies so many bytes of the process's memory; returns 1, or 0 if it cannot read them.
using BowlineRead = int(std::uint64_t address, std::uint64_t bytes, void* into);

/// The page `what` ("queues", "comms" or "requests") of a process, whose symbol bowline_queue_record is at the address
/// `record` (0: it has none). `process`: its id, or 0. Sets `status` to 0; to 1 if the text is a sentence, without a
/// full stop, that says why there is no page. The text is UTF-8 as far as the names of communicators are, ends with a 0
/// and belongs to the library until the next call. Not thread-safe.
const char* bowline_queue_page_1(const char* what, std::uint64_t record, std::int64_t process, BowlineRead* read,
                                 int* status);
}
#pragma GCC visibility pop
