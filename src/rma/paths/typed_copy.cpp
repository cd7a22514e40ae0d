// SPDX-License-Identifier: BSD-3-Clause
#include "rma/paths/typed_copy.hpp"

#include <array>

#include "dtype/cursor.hpp"
#include "rma/paths/whole_words.hpp"

namespace bowline::rma {

void copy_typed(const proto::Buffer& from, const proto::Buffer& to) {
  std::byte* const source = from.run();
  std::byte* const target = to.run();
  const std::size_t bytes = from.bytes();
  if (source != nullptr && target != nullptr) return move_whole_words(target, source, bytes);
  if (target != nullptr) return dtype::pack(*from.type, from.count, from.base, target);
  if (source != nullptr) return dtype::unpack(*to.type, source, bytes, to.base);
  std::array<std::byte, 16 << 10> piece;
  dtype::Cursor reader(*from.type, from.count, from.base), writer(*to.type, to.count, to.base);
  while (reader.left() > 0) {
    const std::size_t packed = reader.pack(piece);
    writer.unpack({piece.data(), packed});
  }
}

}  // namespace bowline::rma
