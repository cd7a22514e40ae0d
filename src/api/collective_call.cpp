// SPDX-License-Identifier: BSD-3-Clause
#include "api/collective_call.hpp"

namespace bowline::api {

std::span<std::byte> CollectiveCall::stage(void* buffer, std::size_t count, const dtype::Datatype& type, bool in,
                                           bool out) {
  const std::size_t bytes = count * type.size();
  if (type.contiguous()) [[likely]]
    return {static_cast<std::byte*>(buffer) + type.origin(), bytes};
  staged_.push_back({dtype::TypeRef(type), count, buffer, std::make_unique_for_overwrite<std::byte[]>(bytes), in, out});
  return {staged_.back().packed.get(), bytes};
}

std::span<const std::byte> CollectiveCall::input(const void* buffer, std::size_t count, const dtype::Datatype& type) {
  return stage(const_cast<void*>(buffer), count, type, true, false);
}

std::span<std::byte> CollectiveCall::output(void* buffer, std::size_t count, const dtype::Datatype& type) {
  return stage(buffer, count, type, false, true);
}

std::span<std::byte> CollectiveCall::in_and_out(void* buffer, std::size_t count, const dtype::Datatype& type) {
  return stage(buffer, count, type, true, true);
}

void CollectiveCall::reduce_with(const dtype::Op& op, const dtype::Datatype& type) {
  reduction_.emplace(op, type);
  arguments.reduction = &*reduction_;
}

std::span<const std::byte> CollectiveCall::operand(const void* buffer, std::size_t count) {
  if (reduction_->packed()) return input(buffer, count, reduction_->type());
  return {static_cast<const std::byte*>(buffer), count * reduction_->element()};
}

std::span<std::byte> CollectiveCall::reduced(void* buffer, std::size_t count, bool in) {
  if (reduction_->packed()) return stage(buffer, count, reduction_->type(), in, true);
  return {static_cast<std::byte*>(buffer), count * reduction_->element()};
}

void CollectiveCall::before() {
  for (const Staged& each : staged_) {
    if (each.in) dtype::pack(*each.type, each.count, each.buffer, each.packed.get());
  }
}

void CollectiveCall::after() {
  for (const Staged& each : staged_) {
    if (each.out) dtype::unpack(*each.type, each.packed.get(), each.count * each.type->size(), each.buffer);
  }
}

void CollectiveCall::run() {
  before();
  coll::run(team_, operation_, arguments);
  after();
}

}  // namespace bowline::api
