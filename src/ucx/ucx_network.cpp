// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/ucx_network.hpp"

#include "ucx/ucx_context.hpp"
#include "ucx/ucx_device.hpp"
#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {
namespace {

class UcxNetwork final : public transport::Network {
 public:
  UcxNetwork(unsigned lanes, transport::Reach reach) : context_(lanes, reach) {}
  std::unique_ptr<transport::Device> make_device(int rank, int ranks, const std::string& host) override {
    return std::make_unique<UcxDevice>(context_, rank, ranks, host);
  }
  bool through_kernel() const noexcept override { return !context_.has_adapter(); }
  transport::RemoteAccess atomics() const noexcept override {
    return context_.adapter_accesses() ? transport::RemoteAccess::native : transport::RemoteAccess::emulated;
  }

 private:
  Context context_;
};

}  // namespace

std::unique_ptr<transport::Network> make_network(unsigned lanes, transport::Reach reach) {
  return std::make_unique<UcxNetwork>(lanes, reach);
}

transport::Limits default_limits() noexcept {
  return ucx_limits(RemoteMemory::none);
}

}  // namespace bowline::ucx
