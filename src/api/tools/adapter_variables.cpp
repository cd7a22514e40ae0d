// SPDX-License-Identifier: BSD-3-Clause
// The values are for each RDMA adapter that this process uses by itself; UCX chooses its own. The names are those of
// MPICH.
#include "api/tools/adapter_variables.hpp"

#include <algorithm>
#include <array>

#include "transport/adapter_bytes.hpp"

namespace bowline::api {
namespace {

using transport::AdapterBytes;

/// Of the adapters that the process has opened when the tool asks; one value, 0, if there is none.
class Moved final : public ObjectValues {
 public:
  explicit Moved(std::uint64_t AdapterBytes::Sum::*direction)
      : direction_(direction), count_(std::max<std::size_t>(AdapterBytes::sums().size(), 1)) {}

  std::size_t count() const noexcept override { return count_; }
  std::uint64_t value(std::size_t adapter) const noexcept override {
    const auto now = AdapterBytes::sums();
    return adapter < now.size() ? now[adapter].*direction_ : 0;
  }

 private:
  std::uint64_t AdapterBytes::Sum::*direction_;
  std::size_t count_;
};

class AdapterVariable final : public ObjectVariable {
 public:
  constexpr AdapterVariable(std::string_view name, std::string_view help, std::uint64_t AdapterBytes::Sum::*direction)
      : ObjectVariable(Kind::counter, Object::none, Element::uint64, Category::networks, name, help),
        direction_(direction) {}
  std::unique_ptr<ObjectValues> of(const void*) const override { return std::make_unique<Moved>(direction_); }

 private:
  std::uint64_t AdapterBytes::Sum::*direction_;
};

constexpr AdapterVariable received("nic_recvd_bytes_count",
                                   "bytes that have arrived over each RDMA adapter, or were read from peers",
                                   &AdapterBytes::Sum::received);
constexpr AdapterVariable sent("nic_sent_bytes_count",
                               "bytes that were sent over each RDMA adapter, or written into the memory of peers",
                               &AdapterBytes::Sum::sent);

}  // namespace

std::span<const ObjectVariable* const> adapter_variables() noexcept {
  static constexpr std::array<const ObjectVariable*, 2> all{&received, &sent};
  return all;
}

}  // namespace bowline::api
