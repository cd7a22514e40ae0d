// SPDX-License-Identifier: BSD-3-Clause
#include "base/diagnosis/queue_record.hpp"

namespace bowline {

/// Not in zeroed memory, because readers search the memory of files. The compiler does not see its readers.
extern "C" {
[[gnu::used]] constinit QueueRecord bowline_queue_record{
    .magic = QueueRecord::right_magic, .version = QueueRecord::this_version, .bytes = sizeof(QueueRecord)};
}

}  // namespace bowline
