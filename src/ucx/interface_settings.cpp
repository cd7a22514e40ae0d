// SPDX-License-Identifier: BSD-3-Clause
#include "ucx/interface_settings.hpp"

#include <cstddef>
#include <cstdlib>

#include "ucx/ucx_device.hpp"
#include "ucx/ucx_endpoint.hpp"

namespace bowline::ucx {
namespace {

constexpr std::size_t beside_the_data = 1024;  // room for headers, ours and UCX's

}  // namespace

Setting::Setting(const char* variable, const std::string& value)
    : variable_(variable), sets_(std::getenv(variable) == nullptr) {
  if (sets_) setenv(variable, value.c_str(), 0);
}

Setting::~Setting() {
  if (sets_) unsetenv(variable_);
}

/// A segment has room for Bowline's longest piece, and for as many blocks as Bowline ever passes. UCX reassembles a
/// message of several segments in memory of its own, which costs one more copy.
InterfaceSettings::InterfaceSettings()
    : segments_("UCX_TCP_RX_SEG_SIZE", std::to_string(ucx_limits(RemoteMemory::none).max_posted + beside_the_data)),
      blocks_("UCX_TCP_MAX_IOV", std::to_string(max_iov + 1)) {}

}  // namespace bowline::ucx
