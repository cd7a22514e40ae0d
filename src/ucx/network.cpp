// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/network.hpp"

#include "ucx/context.hpp"
#include "ucx/device.hpp"
#include "ucx/endpoint.hpp"

namespace bowline::ucx {
namespace {

class UcxNetwork final : public Network {
 public:
  explicit UcxNetwork(unsigned lanes) : context_(lanes) {}
  std::unique_ptr<transport::Device> make_device(int rank, const std::string& host) override {
    return std::make_unique<UcxDevice>(context_, rank, host);
  }
  bool through_kernel() const noexcept override { return !context_.has_adapter(); }

 private:
  Context context_;
};

}  // namespace

std::unique_ptr<Network> make_network(unsigned lanes) {
  return std::make_unique<UcxNetwork>(lanes);
}

transport::Limits default_limits() noexcept {
  return ucx_limits(false);
}

}  // namespace bowline::ucx
