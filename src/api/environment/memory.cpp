// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 9.2: memory that MPI allocates for the program.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <unordered_set>

#include "api/entry/validators.hpp"
#include "api/environment/info_handles.hpp"
#include "base/error.hpp"
#include "base/number.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

constexpr const char* alignment_key = "mpi_minimum_memory_alignment";
constexpr std::size_t cache_line = 64;  // blocks of two ranks or threads share no line

/// The blocks that the program has allocated and not freed. Safe for several threads.
class UserMemory {
 public:
  /// Allocates memory; nullptr if there is not enough.
  void* allocate(std::size_t bytes, std::size_t alignment) {
    void* block = nullptr;
    if (posix_memalign(&block, alignment, bytes) != 0) return nullptr;
    const std::lock_guard hold(mutex_);
    blocks_.insert(block);
    return block;
  }
  /// Returns false if `block` was not allocated here.
  bool free(void* block) {
    {
      const std::lock_guard hold(mutex_);
      if (blocks_.erase(block) == 0) return false;
    }
    std::free(block);
    return true;
  }

 private:
  std::mutex mutex_;
  std::unordered_set<void*> blocks_;
};

UserMemory& user_memory() {
  static auto* const memory = new UserMemory;  // not destroyed by exit(): the program may still use its blocks
  return *memory;
}

std::size_t wanted_alignment(const Info& hints) {
  const std::string* const text = hints.find(alignment_key);
  if (text == nullptr) return cache_line;
  const std::int64_t bytes = parse_number(*text).value_or(0);
  if (bytes <= 0 || !std::has_single_bit(static_cast<std::uint64_t>(bytes))) {
    throw Error(ErrorClass::info_value, fmt::format("info has the {} \"{}\", but an alignment is a power of two, in "
                                                    "bytes",
                                                    alignment_key, *text));
  }
  return std::max(cache_line, static_cast<std::size_t>(bytes));
}

}  // namespace

// Other hints, such as the kinds of memory that the program supports, have no effect: there is one kind to allocate.
void alloc_mem(MPI_Aint size, MPI_Info info, void* baseptr) {
  check::non_negative(size, "size");
  const std::size_t alignment = wanted_alignment(*hints_of(info));
  void* const block = user_memory().allocate(static_cast<std::size_t>(std::max<MPI_Aint>(size, 1)), alignment);
  if (block == nullptr) {
    throw Error(ErrorClass::no_mem, fmt::format("size is {} bytes, aligned to {}, and this process cannot get so much "
                                                "memory: use less per process, or fewer processes per node",
                                                size, alignment));
  }
  *static_cast<void**>(baseptr) = block;
}

// A null pointer is accepted and ignored, as by free().
void free_mem(void* base) {
  if (base == nullptr || user_memory().free(base)) return;
  throw Error(ErrorClass::base, fmt::format("base is {}, which is no memory of MPI_Alloc_mem: it was freed already, or "
                                            "points elsewhere",
                                            fmt::ptr(base)));
}

}  // namespace bowline::api
