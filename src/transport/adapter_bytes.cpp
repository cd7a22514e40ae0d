// SPDX-License-Identifier: BSD-3-Clause
#include "transport/adapter_bytes.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

namespace bowline::transport {
namespace {

struct Registry {
  std::mutex mutex;
  std::vector<const AdapterBytes*> devices;
  std::vector<AdapterBytes::Sum> ended;  ///< of devices that have ended; an entry for each adapter
};

// Not destroyed by exit(): threads may still read.
Registry& registry() {
  static auto* const all = new Registry;
  return *all;
}

AdapterBytes::Sum& of(std::vector<AdapterBytes::Sum>& sums, const std::string& adapter) {
  const auto found = std::ranges::find(sums, adapter, &AdapterBytes::Sum::adapter);
  return found != sums.end() ? *found : sums.emplace_back(AdapterBytes::Sum{.adapter = adapter});
}

}  // namespace

AdapterBytes::AdapterBytes(std::string adapter) : adapter_(std::move(adapter)) {
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  of(all.ended, adapter_);
  all.devices.push_back(this);
}

AdapterBytes::~AdapterBytes() {
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  std::erase(all.devices, this);
  Sum& sum = of(all.ended, adapter_);
  sum.sent += sent_.load(std::memory_order_relaxed);
  sum.received += received_.load(std::memory_order_relaxed);
}

std::vector<AdapterBytes::Sum> AdapterBytes::sums() {
  Registry& all = registry();
  const std::lock_guard hold(all.mutex);
  std::vector<Sum> sums = all.ended;
  for (const AdapterBytes* const each : all.devices) {
    Sum& sum = of(sums, each->adapter_);
    sum.sent += each->sent_.load(std::memory_order_relaxed);
    sum.received += each->received_.load(std::memory_order_relaxed);
  }
  return sums;
}

}  // namespace bowline::transport
