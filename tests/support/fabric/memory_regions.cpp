// SPDX-License-Identifier: BSD-3-Clause
// Protection domains and memory regions.
#include <sys/mman.h>

#include <cerrno>
#include <cstdint>
#include <memory>

#include "support/fabric/adapter.hpp"
#include "support/fabric/counts.hpp"
#include "support/fabric/execution.hpp"
#include "support/fabric/fabric_settings.hpp"
#include "support/fabric/misuse.hpp"

namespace fabric {
namespace {

constexpr unsigned known_access = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ |
                                  IBV_ACCESS_REMOTE_ATOMIC | IBV_ACCESS_RELAXED_ORDERING | IBV_ACCESS_ON_DEMAND;

bool is_on_demand(unsigned access) {
  return (access & IBV_ACCESS_ON_DEMAND) != 0;
}

// As an adapter's driver does: brings the pages in. What can be written gets pages of its own even if the adapter is
// only to read them, so that they stay when the program writes.
bool can_be_pinned(const void* address, std::size_t length, bool writable) {
  const auto first = reinterpret_cast<std::uintptr_t>(address) & ~(page - 1);
  const auto end = (reinterpret_cast<std::uintptr_t>(address) + length + page - 1) & ~(page - 1);
  if (first == end) return true;
  void* start = reinterpret_cast<void*>(first);
  return madvise(start, end - first, MADV_POPULATE_WRITE) == 0 ||
         (!writable && madvise(start, end - first, MADV_POPULATE_READ) == 0);
}

int check_registration(const void* address, std::size_t length, unsigned access) {
  const bool remote_writes = (access & (IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC)) != 0;
  const bool local_writes = (access & IBV_ACCESS_LOCAL_WRITE) != 0;
  if ((access & ~known_access) != 0 || (is_on_demand(access) && !settings().on_demand)) return EOPNOTSUPP;
  if (length == 0 || (remote_writes && !local_writes)) return EINVAL;
  const std::size_t limit = settings().locked;
  if (is_on_demand(access)) return 0;
  if (limit != 0 && counts.registered_bytes + length > limit) return ENOMEM;
  return can_be_pinned(address, length, local_writes) ? 0 : EFAULT;
}

// Entries are used in turn, so that the key of a region that was removed stays wrong for long.
Region* unused_region() {
  static int next = 0;
  for (int tried = 0; tried != most_regions; ++tried) {
    Region& region = subnet().regions[next++ % most_regions];
    if (!region.used) return &region;
  }
  return nullptr;
}

ibv_mr* register_region(ibv_pd* domain, void* address, std::size_t length, std::uint64_t first, unsigned access) {
  check_live(static_cast<Domain*>(domain)->live, "protection domain");
  const SubnetLock lock;
  const int error = check_registration(address, length, access);
  Region* region = error == 0 ? unused_region() : nullptr;
  if (region == nullptr) {
    errno = error == 0 ? ENOMEM : error;
    return nullptr;
  }
  const auto index = static_cast<std::uint32_t>(region - subnet().regions);
  const std::uint32_t uses = ((region->key >> 1) + 1) % (1U << 15);
  region->used = true;
  region->process = own_process();
  region->domain = static_cast<Domain*>(domain)->number;
  region->key = index << 16 | uses << 1;
  region->address = reinterpret_cast<std::uint64_t>(address);
  region->length = length;
  region->first = first;
  region->access = access;
  auto* registration = new Registration{};
  registration->context = domain->context;
  registration->pd = domain;
  registration->addr = address;
  registration->length = length;
  registration->lkey = region->key;
  registration->rkey = region->key + 1;
  registration->region = static_cast<int>(index);
  registration->on_demand = is_on_demand(access);
  if (settings().pinned && !registration->on_demand) registration->pins = std::make_unique<Pins>(address, length);
  region->frames =
      registration->pins != nullptr ? reinterpret_cast<std::uint64_t>(registration->pins->frames().data()) : 0;
  ++static_cast<Domain*>(domain)->users;
  ++counts.registrations;
  (registration->on_demand ? counts.on_demand_bytes : counts.registered_bytes) += length;
  return registration;
}

}  // namespace
}  // namespace fabric

using namespace fabric;

extern "C" {

ibv_pd* ibv_alloc_pd(ibv_context* context) {
  auto* domain = new Domain{};
  domain->context = context;
  const SubnetLock lock;
  domain->number = static_cast<std::uint32_t>(++subnet().next_number);
  ++context_of(context).domains;
  return domain;
}

int ibv_dealloc_pd(ibv_pd* given) {
  auto* domain = static_cast<Domain*>(given);
  check_live(domain->live, "protection domain");
  if (domain->users != 0) return EBUSY;
  domain->live = false;
  --context_of(domain->context).domains;
  retire(domain);
  return 0;
}

ibv_mr* ibv_reg_mr(ibv_pd* domain, void* address, std::size_t length, int access) {
  return register_region(domain, address, length, reinterpret_cast<std::uint64_t>(address),
                         static_cast<unsigned>(access));
}

ibv_mr* ibv_reg_mr_iova2(ibv_pd* domain, void* address, std::size_t length, std::uint64_t first, unsigned access) {
  return register_region(domain, address, length, first, access);
}

ibv_mr* ibv_reg_mr_iova(ibv_pd* domain, void* address, std::size_t length, std::uint64_t first, int access) {
  return register_region(domain, address, length, first, static_cast<unsigned>(access));
}

int ibv_dereg_mr(ibv_mr* given) {
  auto* registration = static_cast<Registration*>(given);
  check_live(registration->live, "memory region");
  const SubnetLock lock;
  subnet().regions[registration->region].used = false;
  --static_cast<Domain*>(registration->pd)->users;
  (registration->on_demand ? counts.on_demand_bytes : counts.registered_bytes) -= registration->length;
  registration->live = false;
  registration->pins.reset();
  retire(registration);
  return 0;
}

}  // extern "C"
