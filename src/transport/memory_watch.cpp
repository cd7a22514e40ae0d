// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory_watch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <ucm/api/ucm.h>

#include <cstddef>
#include <cstdint>

#include "base/error.hpp"

namespace bowline::transport {
namespace {

struct Ucm {
  decltype(&ucm_set_event_handler) set_event_handler;
  decltype(&ucm_unset_event_handler) unset_event_handler;
};

/// Never closed, because it changes the functions that it hooks into. UCM (libucm) has undefined symbols of libucs,
/// which is linked with it. dlsym searches what a library is linked with, too.
Ucm load_ucm() {
  void* const handle = dlopen("libucs.so.0", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw Error(ErrorClass::other, dlerror());
  const Ucm ucm{reinterpret_cast<decltype(&ucm_set_event_handler)>(dlsym(handle, "ucm_set_event_handler")),
                reinterpret_cast<decltype(&ucm_unset_event_handler)>(dlsym(handle, "ucm_unset_event_handler"))};
  if (ucm.set_event_handler == nullptr || ucm.unset_event_handler == nullptr)
    throw Error(ErrorClass::other, "libucs.so.0 comes without UCM's function ucm_set_event_handler");
  return ucm;
}

const Ucm& ucm_library() {
  static const Ucm loaded = load_ucm();
  return loaded;
}

/// UCM does not report what mremap with MREMAP_FIXED replaces, so what is mapped counts as unmapped before.
constexpr int watched_events = UCM_EVENT_VM_UNMAPPED | UCM_EVENT_VM_MAPPED;

void memory_has_changed(ucm_event_type_t type, ucm_event_t* event, void* cache) noexcept {
  const bool mapped = type == UCM_EVENT_VM_MAPPED;
  const void* const address = mapped ? event->vm_mapped.address : event->vm_unmapped.address;
  const std::size_t bytes = mapped ? event->vm_mapped.size : event->vm_unmapped.size;
  static_cast<RegistrationCache*>(cache)->unmapped(reinterpret_cast<std::uintptr_t>(address), bytes);
}

}  // namespace

MemoryWatch::MemoryWatch(RegistrationCache& cache) : cache_(cache) {
  if (ucm_library().set_event_handler(watched_events, 0, &memory_has_changed, &cache_) != UCS_OK)
    throw Error(ErrorClass::other, "UCM cannot hook into munmap: do UCX_MEM_* variables prevent it?");
}

MemoryWatch::~MemoryWatch() {
  ucm_library().unset_event_handler(watched_events, &memory_has_changed, &cache_);
}

}  // namespace bowline::transport
