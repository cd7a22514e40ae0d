// SPDX-License-Identifier: BSD-3-Clause
// mpiio/storage: files of the system, the loops around short calls, and faults.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "mpiio/storage/faulty_storage.hpp"
#include "mpiio/storage/posix_storage.hpp"
#include "mpiio/storage/whole_access.hpp"
#include "unit/mpiio/memory_storage.hpp"
#include "unit/mpiio/temporary_file.hpp"

namespace bowline::mpiio {
namespace {

std::vector<std::byte> numbered(std::size_t bytes) {
  std::vector<std::byte> data(bytes);
  for (std::size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 7 + i / 251);
  return data;
}

/// Pieces of 1, 2, 3, ... bytes.
std::vector<iovec> pieces_of(std::vector<std::byte>& data) {
  std::vector<iovec> list;
  for (std::size_t at = 0, length = 1; at < data.size(); at += length, ++length) {
    length = std::min(length, data.size() - at);
    list.push_back({data.data() + at, length});
  }
  return list;
}

TEST(PosixStorage, MovesDataSizesAndLocks) {
  const TemporaryFile file;
  PosixStorage storage(file.open());
  const std::vector<std::byte> data = numbered(10000);
  EXPECT_EQ(storage.write_some(5, data), 10000);
  Offset bytes = 0;
  EXPECT_EQ(storage.size(bytes), 0);
  EXPECT_EQ(bytes, 10005);
  std::vector<std::byte> back(10000);
  EXPECT_EQ(storage.read_some(5, back), 10000);
  EXPECT_EQ(back, data);
  EXPECT_EQ(storage.read_some(20000, back), 0);
  EXPECT_EQ(storage.truncate(100), 0);
  EXPECT_EQ(storage.preallocate(50), 0);
  EXPECT_EQ(storage.size(bytes), 0);
  EXPECT_EQ(bytes, 100);
  EXPECT_EQ(storage.preallocate(5000), 0);
  EXPECT_EQ(storage.size(bytes), 0);
  EXPECT_EQ(bytes, 5000);
  EXPECT_EQ(storage.sync(), 0);

  PosixStorage other(file.open());
  bool found = false;
  EXPECT_EQ(storage.lock({10, 20}, LockKind::exclusive), 0);
  EXPECT_EQ(storage.find_lock({0, 100}, found), 0);
  EXPECT_FALSE(found) << "an open's own lock";
  EXPECT_EQ(other.find_lock({19, 30}, found), 0);
  EXPECT_TRUE(found);
  EXPECT_EQ(other.find_lock({20, 30}, found), 0);
  EXPECT_FALSE(found);
  EXPECT_EQ(storage.unlock({10, 20}), 0);
  EXPECT_EQ(other.find_lock({0, 100}, found), 0);
  EXPECT_FALSE(found);
  EXPECT_EQ(storage.close(), 0);
}

TEST(PosixStorage, ReportsErrorNumbers) {
  const TemporaryFile file;
  PosixStorage storage(file.open(O_RDONLY));
  std::array<std::byte, 4> data{};
  EXPECT_EQ(storage.write_some(0, data), -EBADF);
  EXPECT_NE(storage.truncate(10), 0);
}

TEST(WholeAccess, GoesOnAfterShortCallsAndInterruptions) {
  int calls = 0;
  for (std::uint32_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    auto memory = std::make_unique<MemoryStorage>();
    MemoryStorage& inner = *memory;
    FaultyStorage storage(std::move(memory), Faults::parse("short,interrupt"), seed);
    std::vector<std::byte> data = numbered(5000 + seed);
    const Outcome written = write_all(storage, 3, data);
    EXPECT_EQ(written.bytes, data.size());
    EXPECT_EQ(written.error, 0);
    calls += inner.calls;
    std::vector<std::byte> back(data.size());
    EXPECT_EQ(read_all(storage, 3, back).bytes, data.size());
    EXPECT_EQ(back, data);

    auto list = pieces_of(back);
    std::ranges::fill(back, std::byte{});
    EXPECT_EQ(read_list(storage, 3, list).bytes, data.size());
    EXPECT_EQ(back, data);
    list = pieces_of(data);
    EXPECT_EQ(write_list(storage, 10000, list).bytes, data.size());
    EXPECT_EQ(read_all(storage, 10000, back).bytes, data.size());
    EXPECT_EQ(back, data);
  }
  EXPECT_GT(calls, 30);
}

TEST(WholeAccess, EndsWithTheFileOrWithTheError) {
  auto memory = std::make_unique<MemoryStorage>();
  memory->bytes = numbered(1000);
  FaultyStorage storage(std::move(memory), Faults::parse("write:ENOSPC@1500,read:EIO@900"), 1);
  std::vector<std::byte> data = numbered(1000);
  Outcome outcome = write_all(storage, 1000, data);
  EXPECT_EQ(outcome.bytes, 500U);
  EXPECT_EQ(outcome.error, ENOSPC);
  outcome = read_all(storage, 400, data);
  EXPECT_EQ(outcome.bytes, 500U);
  EXPECT_EQ(outcome.error, EIO);

  auto short_file = std::make_unique<MemoryStorage>();
  short_file->bytes = numbered(1000);
  outcome = read_all(*short_file, 900, data);
  EXPECT_EQ(outcome.bytes, 100U);
  EXPECT_EQ(outcome.error, 0);
}

TEST(WholeAccess, TakesListsThatOneCallDoesNot) {
  MemoryStorage storage;
  std::vector<std::byte> data = numbered(3 * Storage::most_pieces + 5);
  std::vector<iovec> list;
  for (std::byte& each : data) list.push_back({&each, 1});
  const Outcome written = write_list(storage, 0, list);
  EXPECT_EQ(written.bytes, data.size());
  EXPECT_EQ(storage.bytes, data);
}

TEST(Faults, AreReadFromText) {
  const Faults faults =
      Faults::parse("short,interrupt,read:EIO@10,write:EDQUOT@20,sync:EIO,lock:ENOLCK,truncate:ENOSPC");
  EXPECT_TRUE(faults.short_calls && faults.interruptions);
  EXPECT_EQ(faults.read->error, EIO);
  EXPECT_EQ(faults.read->offset, 10);
  EXPECT_EQ(faults.write->error, EDQUOT);
  EXPECT_EQ(faults.sync, EIO);
  EXPECT_EQ(faults.locks, ENOLCK);
  EXPECT_EQ(faults.truncate, ENOSPC);
  EXPECT_FALSE(Faults::parse("").any());
  for (const char* const wrong : {"shorter", "read:EIO", "read:EIO@x", "write:EWHAT@1", "sync:", "short,,interrupt"})
    EXPECT_THROW(static_cast<void>(Faults::parse(wrong)), Error) << wrong;
}

TEST(Faults, OfLocksAndSizes) {
  FaultyStorage storage(std::make_unique<MemoryStorage>(), Faults::parse("sync:EIO,lock:ENOLCK,truncate:ENOSPC"), 1);
  bool found = false;
  EXPECT_EQ(storage.sync(), EIO);
  EXPECT_EQ(storage.lock({0, 1}, LockKind::shared), ENOLCK);
  EXPECT_EQ(storage.find_lock({0, 1}, found), ENOLCK);
  EXPECT_EQ(storage.truncate(1), ENOSPC);
  EXPECT_EQ(storage.preallocate(1), ENOSPC);
}

}  // namespace
}  // namespace bowline::mpiio
