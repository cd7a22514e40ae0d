// SPDX-License-Identifier: BSD-3-Clause
#include "runtime/jobs/neighbourhood.hpp"

#include <algorithm>
#include <utility>

namespace bowline::runtime {

Neighbourhood::Neighbourhood(std::vector<int> processes, std::size_t own_number, unsigned lanes)
    : processes_(std::move(processes)), inbox_(processes_.size(), lanes) {
  for (unsigned lane = 0; lane < lanes; ++lane)
    devices_.push_back(std::make_unique<shm::ShmDevice>(inbox_, lane, own_number, processes_));
}

bool Neighbourhood::has(int process) const noexcept {
  return std::ranges::binary_search(processes_, process);
}

void Neighbourhood::forget(int process) noexcept {
  std::erase(processes_, process);
}

std::unique_ptr<transport::Endpoint> Neighbourhood::connect(unsigned lane, int process) {
  return device(lane).connect(process, address_of_(process));
}

}  // namespace bowline::runtime
