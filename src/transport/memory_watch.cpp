// SPDX-License-Identifier: BSD-3-Clause
#include "transport/memory_watch.hpp"

#include <dlfcn.h>
#include <fmt/format.h>
#include <ucm/api/ucm.h>

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
