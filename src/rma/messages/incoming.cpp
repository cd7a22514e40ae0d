// SPDX-License-Identifier: BSD-3-Clause
#include "rma/messages/incoming.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "dtype/predefined.hpp"
#include "rma/messages/window_service.hpp"
#include "rma/window.hpp"

namespace bowline::rma {

void AnswerSend::begin(Window& window, int to, std::uint64_t answer_id, std::size_t offset, const proto::Buffer& data,
                       std::unique_ptr<std::byte[]> kept) {
  const transport::Header header{.context = window.context(), .source = window.rank(), .tag = 0};
  auto* const observer = new AnswerSend(std::move(kept));
  try {
    window.engine().send_part(window.engine().peer(to), proto::control_header(header, RmaKind::answer), data, answer_id,
                              offset, *observer);
  } catch (...) {
    delete observer;
    throw;
  }
}

Incoming::Incoming(Window& window, int origin_process, const OperationHead& head, const TargetData& place,
                   std::byte* base, const dtype::Datatype* element)
    : window_(window),
      process_(origin_process),
      head_(head),
      type_(*place.type),
      bytes_(place.bytes()),
      base_(base),
      element_(element),
      cursor_(*type_, place.count, base),
      exclusion_(window.exclusion(&window.node().own())) {
  if (element_ != nullptr && base_ != nullptr) {
    accumulator_.emplace(exclusion_, dtype::op_of(static_cast<dtype::Operator>(head.op)), *element_, *type_,
                         place.count, base_);
  }
}

void Incoming::take(std::span<const std::byte> data) {
  if (base_ != nullptr && element_ == nullptr) {
    cursor_.unpack(data);
  } else if (base_ != nullptr) {
    accumulate(data);
  }
  received_ += data.size();
}

/// Applies whole elements. The bytes of an element may arrive in two messages.
void Incoming::accumulate(std::span<const std::byte> data) {
  const std::size_t each = element_->size();
  std::size_t at = received_ - carried_;
  if (carried_ > 0) {
    const std::size_t missing = std::min(each - carried_, data.size());
    std::copy_n(data.data(), missing, carry_.data() + carried_);
    carried_ += missing;
    data = data.subspan(missing);
    if (carried_ < each) return;
    apply(at, {carry_.data(), each});
    carried_ = 0;
    at += each;
  }
  const std::size_t whole = data.size() / each * each;
  if (whole > 0) apply(at, data.first(whole));
  carried_ = data.size() - whole;
  std::copy_n(data.data() + whole, carried_, carry_.data());
}

void Incoming::apply(std::size_t at, std::span<const std::byte> elements) {
  if (head_.action != Action::get_accumulate) return accumulator_->apply(at, elements, {});
  auto old = std::make_unique_for_overwrite<std::byte[]>(elements.size());
  std::byte* const memory = old.get();
  accumulator_->apply(at, elements, {memory, elements.size()});
  AnswerSend::begin(window_, process_, head_.answer_id, at, {memory, elements.size(), &dtype::byte_type()},
                    std::move(old));
}

}  // namespace bowline::rma
