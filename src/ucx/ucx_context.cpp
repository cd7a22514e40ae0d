// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx_context.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/tunable.hpp"

namespace bowline::ucx {
namespace {

ChoiceTunable remote_memory_tunable(
    Category::networks, "ucx_remote_memory", {"auto", "get", "put", "never"},
    "how long messages travel between nodes: get, the receiver's adapter reads the sender's memory; put, the sender's "
    "adapter writes to the receiver's; never, in pieces; auto: get where adapters do it by themselves");

// A key of UCX that is longer than this contains the key of an adapter.
constexpr std::size_t key_without_adapter = 16;

/// UCX 1.13 keeps the memory that Bowline registers in a cache of its own, and enters its own buffers there too. If
/// such a buffer lies where a registered region is, UCX takes that region for the buffer's own and writes to the
/// region's start, which is memory of the program (ucp_memh_alloc and ucp_mpool_malloc in ucp_mm.c; 1.14 enters no
/// buffers). Bowline does not need that cache, because it has one of its own.
bool has_harmful_cache(const Library& ucx) {
  unsigned major = 0;
  unsigned minor = 0;
  unsigned release = 0;
  ucx.get_version(&major, &minor, &release);
  return major == 1 && minor < 14;
}

/// UCX's settings in the form in which it prints them: one line NAME=VALUE per setting. Empty if there is no memory.
std::string settings_of(const Library& ucx, const ucp_config_t* config) {
  char* text = nullptr;
  std::size_t bytes = 0;
  std::FILE* const settings = open_memstream(&text, &bytes);
  if (settings == nullptr) return {};
  ucx.config_print(config, settings, nullptr, UCS_CONFIG_PRINT_CONFIG);
  std::fclose(settings);
  const std::unique_ptr<char, decltype(&std::free)> holder(text, &std::free);
  return {text, bytes};
}

/// Replaces UCX's defaults, except those that an environment variable or UCX's configuration file has changed.
void settle_defaults(const Library& ucx, ucp_config_t* config, transport::Reach reach) {
  const std::string settings = settings_of(ucx, config);
  const auto stands = [&](std::string_view line) { return settings.find(line) != std::string::npos; };
  if (reach == transport::Reach::other_nodes && stands("UCX_TLS=all\n"))
    check(ucx.config_modify(config, "TLS", "^sm"), "leaving UCX's shared memory away");
  // UCX would put its pools of buffers into pages of 2 MiB. The few buffers that Bowline needs fill only a small part
  // of such a page.
  if (stands("UCX_ALLOC_PRIO=md:sysv,md:posix,huge,thp,md:*,mmap,heap\n") ||
      stands("UCX_ALLOC_PRIO=md:sysv,md:posix,thp,md:*,mmap,heap\n"))
    check(ucx.config_modify(config, "ALLOC_PRIO", "md:*,mmap,heap"), "leaving huge pages away");
}

bool has_rdma_adapter() {
  std::error_code none;
  const std::filesystem::directory_iterator adapters("/sys/class/infiniband", none);
  return !none && adapters != std::filesystem::directory_iterator();
}

}  // namespace

std::string text_of(ucs_status_t status) {
  return library().status_string(status);
}

void check(ucs_status_t status, const char* what) {
  if (status == UCS_OK) return;
  throw Error(ErrorClass::other, fmt::format("{} failed: UCX answered \"{}\"", what, text_of(status)));
}

namespace {

/// The start of a key. UCX's part follows.
struct KeyFront {
  std::uintptr_t name;  ///< address of the region in the process that registered it
  std::uint64_t hash;   ///< of UCX's part
};

}  // namespace

struct Context::Registered {
  ucp_mem_h memory;
  std::vector<std::byte> key;
};

Context::Context(unsigned lanes, transport::Reach reach) : ucx_(library()), has_adapter_(has_rdma_adapter()) {
  ucp_config_t* config = nullptr;
  check(ucx_.config_read(nullptr, nullptr, &config), "reading the UCX_* variables");
  const std::unique_ptr<ucp_config_t, decltype(ucx_.config_release)> holder(config, ucx_.config_release);
  if (has_harmful_cache(ucx_)) check(ucx_.config_modify(config, "RCACHE_ENABLE", "n"), "ending UCX's cache of memory");
  settle_defaults(ucx_, config, reach);
  ucp_params_t params{};
  params.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED;
  params.features = UCP_FEATURE_AM | UCP_FEATURE_RMA | UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64 | UCP_FEATURE_WAKEUP;
  params.mt_workers_shared = lanes > 1 ? 1 : 0;
  check(ucx_.init_version(UCP_API_MAJOR, UCP_API_MINOR, &params, config, &context_), "initializing UCX");
  try {
    adapter_accesses_ = has_adapter_ && has_adapter_key();
  } catch (...) {
    ucx_.cleanup(context_);
    throw;
  }
  remote_memory_ = choose_remote_memory();
  cache_.emplace(static_cast<transport::Registrar&>(*this));
}

Context::~Context() {
  cache_.reset();
  if (!abandoned_) ucx_.cleanup(context_);
}

/// Registers a page and looks at its key: UCX packs a key for each adapter that needs one, and nothing for networks
/// that access memory by messages.
bool Context::has_adapter_key() {
  alignas(4096) static const std::array<std::byte, 4096> page{};
  auto* const registered = static_cast<Registered*>(add(page));
  const bool reaches = registered->key.size() > key_without_adapter;
  remove(registered);
  return reaches;
}

RemoteMemory Context::choose_remote_memory() const {
  const std::string_view chosen = remote_memory_tunable.value();
  if (chosen == "get") return RemoteMemory::get;
  if (chosen == "put") return RemoteMemory::put;
  return chosen != "never" && adapter_accesses_ ? RemoteMemory::get : RemoteMemory::none;
}

void* Context::add(std::span<const std::byte> memory) {
  ucp_mem_map_params_t params{};
  params.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH;
  params.address = const_cast<std::byte*>(memory.data());
  params.length = memory.size();
  auto registered = std::make_unique<Registered>();
  check(ucx_.mem_map(context_, &params, &registered->memory), "registering memory");
  void* packed = nullptr;
  std::size_t bytes = 0;
  const ucs_status_t status = ucx_.rkey_pack(context_, registered->memory, &packed, &bytes);
  if (status != UCS_OK) {
    ucx_.mem_unmap(context_, registered->memory);
    check(status, "making a key for registered memory");
  }
  registered->key.resize(bytes);
  std::memcpy(registered->key.data(), packed, bytes);
  ucx_.rkey_buffer_release(packed);
  return registered.release();
}

void Context::remove(void* handle) noexcept {
  const std::unique_ptr<Registered> registered(static_cast<Registered*>(handle));
  ucx_.mem_unmap(context_, registered->memory);
}

std::vector<std::byte> Context::register_memory(std::span<const std::byte> memory) {
  transport::RegistrationCache::Region& region = (**cache_).acquire(memory);
  const std::vector<std::byte>& remote = static_cast<Registered*>(region.handle())->key;
  const KeyFront front{.name = reinterpret_cast<std::uintptr_t>(&region), .hash = hash_of(remote)};
  std::vector<std::byte> key(sizeof front + remote.size());
  std::memcpy(key.data(), &front, sizeof front);
  std::ranges::copy(remote, key.begin() + sizeof front);
  return key;
}

void Context::deregister(std::span<const std::byte> key) noexcept {
  KeyFront front{};
  std::memcpy(&front, key.data(), sizeof front);
  cache_->made().release(*reinterpret_cast<transport::RegistrationCache::Region*>(front.name));
}

std::span<const std::byte> Context::remote_key(std::span<const std::byte> key) noexcept {
  KeyFront front{};
  if (key.size() <= sizeof front) return {};
  std::memcpy(&front, key.data(), sizeof front);
  const auto remote = key.subspan(sizeof front);
  return hash_of(remote) == front.hash ? remote : std::span<const std::byte>();
}

}  // namespace bowline::ucx
