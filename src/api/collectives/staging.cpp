// SPDX-License-Identifier: BSD-3-Clause
#include "api/collectives/staging.hpp"

namespace bowline::api {

void Staging::release_types() noexcept {
  for (std::size_t i = 0; i < used_; ++i) moves_[i].type->release();
}

void Staging::reserve(std::size_t bytes, std::size_t moves) {
  memory_.make(bytes);
  moves_.make(moves);
}

void Staging::add(const dtype::Datatype& type, std::size_t count, std::uintptr_t buffer, std::byte* packed) noexcept {
  type.retain();
  moves_[used_++] = {&type, count, reinterpret_cast<void*>(buffer), packed};
}

void Staging::pack_all() const {
  for (std::size_t i = 0; i < used_; ++i) {
    const Move& move = moves_[i];
    dtype::pack(*move.type, move.count, move.buffer, move.packed);
  }
}

void Staging::unpack_all() const {
  for (std::size_t i = 0; i < used_; ++i) {
    const Move& move = moves_[i];
    dtype::unpack(*move.type, move.packed, move.count * move.type->size(), move.buffer);
  }
}

}  // namespace bowline::api
