// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory_watch.hpp"

#include <ucm/api/ucm.h>

#include <cstdint>

#include "base/error.hpp"
#include "base/shared_library.hpp"

namespace bowline::transport {
namespace {

/// UCM (libucm) has undefined symbols of libucs, which is linked with it.
struct Ucm {
  SharedLibrary file{{.file = "libucs.so.0",
                      .purpose = "UCM, a library of UCX, would notice it",
                      .remedy = "install UCX on every node (Debian: libucx0)"}};
  decltype(&ucm_set_event_handler) set_event_handler = file.function("ucm_set_event_handler");
  decltype(&ucm_unset_event_handler) unset_event_handler = file.function("ucm_unset_event_handler");
};

const Ucm& ucm_library() {
  static const Ucm loaded;
  return loaded;
}

void memory_is_unmapped(ucm_event_type_t, ucm_event_t* event, void* cache) noexcept {
  static_cast<RegistrationCache*>(cache)->unmapped(reinterpret_cast<std::uintptr_t>(event->vm_unmapped.address),
                                                   event->vm_unmapped.size);
}

}  // namespace

MemoryWatch::MemoryWatch(RegistrationCache& cache) : cache_(cache) {
  if (ucm_library().set_event_handler(UCM_EVENT_VM_UNMAPPED, 0, &memory_is_unmapped, &cache_) != UCS_OK)
    throw Error(ErrorClass::other, "UCM cannot hook into munmap: do UCX_MEM_* variables prevent it?");
}

MemoryWatch::~MemoryWatch() {
  ucm_library().unset_event_handler(UCM_EVENT_VM_UNMAPPED, &memory_is_unmapped, &cache_);
}

}  // namespace bowline::transport
