// SPDX-License-Identifier: BSD-3-Clause
#include "verbs/send_work.hpp"

#include <algorithm>
#include <new>
#include <span>

namespace bowline::verbs {
namespace {

constexpr std::size_t works_at_once = 32;

}  // namespace

bool WorkPool::grow() noexcept {
  const std::size_t more = std::min(works_at_once, most_ - count_);
  if (more == 0) return false;
  try {
    all_.reserve(all_.size() + 1);
    all_.push_back(std::make_unique<SendWork[]>(more));
  } catch (const std::bad_alloc&) {
    return false;
  }
  taken_ += more;
  for (SendWork& work : std::span(all_.back().get(), more)) {
    work.request.wr_id = reinterpret_cast<std::uintptr_t>(&work);
    work.request.sg_list = &work.run;
    work.slot = nullptr;
    give_back(work);
  }
  count_ += more;
  return true;
}

}  // namespace bowline::verbs
