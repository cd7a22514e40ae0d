// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/verbs_adapter.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <limits>
#include <utility>

#include "base/atomic.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "verbs/managed/managed_adapters.hpp"
#include "verbs/verbs_settings.hpp"

namespace bowline::verbs {
namespace {

constexpr unsigned access_all =
    IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_ATOMIC;

void close_adapter(ibv_context* device) {
  library().close_device(device);
}

/// The connection manager makes queue pairs only for adapters that it has opened itself.
std::unique_ptr<ibv_context, void (*)(ibv_context*)> open_adapter(const Port& port) {
  const std::string& name = port.device;
  const Library& verbs = library();
  // fork_init() comes before any registration: registered memory then stays whole for this process if the program
  // forks.
  if (const int failed = verbs.fork_init(); failed != 0)
    log::info("the program must not fork while memory is registered: ibv_fork_init says {}", std::strerror(failed));
  if (port.connecting != Connecting::direct) return {managed_context(name), [](ibv_context*) {}};
  int count = 0;
  ibv_device** const list = verbs.get_device_list(&count);
  if (list == nullptr) throw verbs_error("listing the adapters", name);
  const std::unique_ptr<ibv_device*, decltype(verbs.free_device_list)> holder(list, verbs.free_device_list);
  for (ibv_device* const each : std::span(list, static_cast<std::size_t>(count))) {
    if (name != verbs.get_device_name(each)) continue;
    ibv_context* const device = verbs.open_device(each);
    if (device == nullptr) throw verbs_error("opening it", name);
    return {device, close_adapter};
  }
  throw Error(ErrorClass::other, fmt::format("the RDMA adapter {} is gone", name));
}

/// In words; what RLIMIT_MEMLOCK allows.
std::string limit_of_locked_memory() {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return "unlimited";
  return fmt::format("{} KiB", limit.rlim_cur >> 10);
}

/// How much registered memory to keep: all adapters together half of what the process may lock, because the other needs
/// of the process are not known. Memory that is registered with two adapters counts twice.
std::size_t most_to_keep(std::size_t adapters) noexcept {
  rlimit limit{};
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return std::numeric_limits<std::size_t>::max();
  return limit.rlim_cur / 2 / adapters;
}

Error no_more_locked(std::size_t bytes, const std::string& adapter, int number) {
  return {ErrorClass::no_mem,
          fmt::format("{} bytes of memory cannot be registered with the RDMA adapter {} ({}): the limit of locked "
                      "memory of this process is {}; raise it (ulimit -l, or LimitMEMLOCK of the daemon that starts "
                      "the ranks), or need less of it: BOWLINE_LANES, the fewer the less, and "
                      "BOWLINE_VERBS_EAGER_BYTES",
                      bytes, adapter, std::strerror(number), limit_of_locked_memory())};
}

bool is_out_of_memory(int number) noexcept {
  return number == ENOMEM || number == EAGAIN;
}

}  // namespace

struct Adapter::Registered {
  MemoryRegion region;
  bool writable;
};

Adapter::Adapter(const Port& port, Role role, std::size_t adapters)
    : port_(port), role_(role), device_(open_adapter(port)), events_(port_, device_.get()) {
  const Library& verbs = library();
  if (const int failed = verbs.query_device(device_.get(), &facts_); failed != 0)
    throw verbs_error("asking for its abilities", name(), failed);
  domain_.reset(verbs.alloc_pd(device_.get()));
  if (domain_ == nullptr) throw verbs_error("making a protection domain", name());
  partition_index_ = find_partition();
  max_inline_ = find_max_inline();
  pages_on_demand_ = find_on_demand();
  cache_.emplace(static_cast<transport::Registrar&>(*this), most_to_keep(adapters));
}

Adapter::~Adapter() {
  cache_.reset();
}

std::uint16_t Adapter::find_partition() const {
  constexpr std::uint16_t without_membership = 0x7fff;
  const std::size_t wanted = partition_choice.value();
  if (wanted == 0) return 0;
  for (std::uint16_t index = 0; index < facts_.max_pkeys; ++index) {
    __be16 key = 0;
    if (library().query_pkey(device_.get(), port_.number, index, &key) != 0) break;
    if ((ntohs(key) & without_membership) == (wanted & without_membership)) return index;
  }
  throw Error(ErrorClass::arg,
              fmt::format("BOWLINE_VERBS_PARTITION_KEY is {:#x}, but {} has no such partition key: ask "
                          "who runs the subnet manager, or leave the variable out",
                          wanted, to_text(port_)));
}

/// No adapter tells how many bytes it takes inside a work request, so this function tries to make queue pairs until one
/// is granted.
std::uint32_t Adapter::find_max_inline() {
  const Library& verbs = library();
  const CompletionQueue completions(verbs.create_cq(device_.get(), 1, nullptr, nullptr, 0));
  if (completions == nullptr) throw verbs_error("making a completion queue", name());
  for (const std::uint32_t bytes : {256U, 128U, 64U}) {
    ibv_qp_init_attr wanted{};
    wanted.send_cq = wanted.recv_cq = completions.get();
    wanted.qp_type = IBV_QPT_RC;
    wanted.cap = {.max_send_wr = 1, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1, .max_inline_data = bytes};
    const QueuePairHandle pair(verbs.create_qp(domain_.get(), &wanted));
    if (pair != nullptr) return bytes;
  }
  return 0;
}

/// ibv_query_device_ex() of verbs.h would call a function of libibverbs, which is not linked.
bool Adapter::find_on_demand() const noexcept {
  verbs_context* const extended = verbs_get_ctx(device_.get());
  constexpr std::size_t bytes_from_member = sizeof(verbs_context) - offsetof(verbs_context, query_device_ex);
  if (extended == nullptr || extended->sz < bytes_from_member || extended->query_device_ex == nullptr) return false;
  ibv_device_attr_ex facts{};
  if (extended->query_device_ex(device_.get(), nullptr, &facts, sizeof facts) != 0) return false;
  const unsigned needed =
      IBV_ODP_SUPPORT_READ | IBV_ODP_SUPPORT_WRITE | (has_atomics() ? unsigned{IBV_ODP_SUPPORT_ATOMIC} : 0U);
  return (facts.odp_caps.general_caps & IBV_ODP_SUPPORT) != 0 &&
         (facts.odp_caps.per_transport_caps.rc_odp_caps & needed) == needed;
}

RegisteredBlock Adapter::make_block(std::size_t bytes) {
  constexpr std::size_t page = 4096;
  const std::size_t whole = (bytes + page - 1) / page * page;
  std::unique_ptr<std::byte[], void (*)(std::byte*)> memory(
      static_cast<std::byte*>(operator new (whole, std::align_val_t{page})),
      [](std::byte* old) { operator delete (old, std::align_val_t{page}); });
  // On iWARP the answer to an RDMA read is a write from afar, and peers read probes.
  constexpr int for_peers = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_READ | IBV_ACCESS_REMOTE_WRITE;
  const int access = port_.address.fabric == Fabric::iwarp ? for_peers : IBV_ACCESS_LOCAL_WRITE;
  const auto add = [&] { return library().reg_mr(domain_.get(), memory.get(), whole, access); };
  MemoryRegion region(add());
  if (region == nullptr && cache_.has_value() && is_out_of_memory(errno)) {
    (**cache_)
        .drop_idle();  // the cached registrations of the program's memory may use up the memory that may be locked
    region.reset(add());
  }
  if (region == nullptr) throw no_more_locked(whole, name(), errno);
  return {std::move(memory), std::move(region)};
}

/// With errno if the result is nullptr.
MemoryRegion Adapter::register_with(std::span<const std::byte> memory, unsigned access) const noexcept {
  auto* const start = const_cast<std::byte*>(memory.data());
  MemoryRegion region(library().reg_mr(domain_.get(), start, memory.size(), static_cast<int>(access)));
  // Locked pages are preferred, because an adapter accesses them without asking the system.
  if (region == nullptr && is_out_of_memory(errno) && pages_on_demand_) {
    region.reset(
        library().reg_mr(domain_.get(), start, memory.size(), static_cast<int>(access | IBV_ACCESS_ON_DEMAND)));
  }
  return region;
}

void* Adapter::add(std::span<const std::byte> memory) {
  auto registered = std::make_unique<Registered>();
  const unsigned atomic = has_atomics() ? 0U : unsigned{IBV_ACCESS_REMOTE_ATOMIC};
  registered->region = register_with(memory, access_all & ~atomic);
  registered->writable = registered->region != nullptr;
  if (!registered->writable && !is_out_of_memory(errno))  // perhaps the program may only read the memory
    registered->region = register_with(memory, IBV_ACCESS_REMOTE_READ);
  if (registered->region == nullptr) throw no_more_locked(memory.size(), name(), errno);
  return registered.release();
}

void Adapter::remove(void* handle) noexcept {
  delete static_cast<Registered*>(handle);
}

Adapter::Region& Adapter::acquire(std::span<const std::byte> memory) {
  try {
    return (**cache_).acquire(memory);
  } catch (const Error& error) {
    static Atomic<bool> said{false};
    if (!said.exchange(true)) {
      log::warning("{}, which takes longer: {}",
                   role_ == Role::everything ? "messages are copied" : "messages go over fewer adapters", error.what());
    }
    throw;
  }
}

void Adapter::release(Region& region) noexcept {
  cache_->made().release(region);
}

std::uint32_t Adapter::local_key(const Region& region) noexcept {
  return static_cast<const Registered*>(region.handle())->region->lkey;
}

std::uint32_t Adapter::remote_key(const Region& region) noexcept {
  return static_cast<const Registered*>(region.handle())->region->rkey;
}

bool Adapter::is_writable(const Region& region) noexcept {
  return static_cast<const Registered*>(region.handle())->writable;
}

// ---- keys

namespace {

std::uint64_t hash_of_key(const MemoryKey& key) noexcept {
  return hash_of(std::as_bytes(std::span(&key, 1)).first(offsetof(MemoryKey, hash)));
}

}  // namespace

std::vector<std::byte> write_key(const Adapter::Region& region) {
  MemoryKey key{.region = reinterpret_cast<std::uintptr_t>(&region),
                .remote_key = Adapter::remote_key(region),
                .writable = Adapter::is_writable(region),
                .hash = 0};
  key.hash = hash_of_key(key);
  const auto bytes = std::as_bytes(std::span(&key, 1));
  return {bytes.begin(), bytes.end()};
}

std::optional<MemoryKey> read_key(std::span<const std::byte> bytes) noexcept {
  MemoryKey key;
  if (bytes.size() != sizeof key) return std::nullopt;
  std::memcpy(&key, bytes.data(), sizeof key);
  if (hash_of_key(key) != key.hash) return std::nullopt;
  return key;
}

}  // namespace bowline::verbs
