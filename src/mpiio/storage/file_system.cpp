// SPDX-License-Identifier: BSD-3-Clause
#include "mpiio/storage/file_system.hpp"

#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace bowline::mpiio {
namespace {

struct MagicNumber {
  std::uint64_t number;
  std::string_view name;
  bool remote;
};

// Numbers of statfs(2), in part from linux/magic.h.
constexpr std::array<MagicNumber, 18> magic_numbers = {{
    {0xEF53, "ext4", false},
    {0x58465342, "xfs", false},
    {0x9123683E, "btrfs", false},
    {0x01021994, "tmpfs", false},
    {0x2FC12FC1, "zfs", false},
    {0xF2F52010, "f2fs", false},
    {0x794C7630, "overlay", false},
    {0x65735546, "fuse", true},
    {0x6969, "nfs", true},
    {0x0BD00BD0, "lustre", true},
    {0x47504653, "gpfs", true},
    {0x19830326, "beegfs", true},
    {0xAAD7AAEA, "panfs", true},
    {0x20030528, "pvfs2", true},
    {0x00C36400, "ceph", true},
    {0x01021997, "9p", true},
    {0xFE534D42, "smb", true},
    {0xFF534D42, "cifs", true},
}};

constexpr std::size_t longest_block = 16 << 20;

}  // namespace

FileSystem FileSystem::with_number(std::uint64_t number) noexcept {
  const auto* const row = std::ranges::find(magic_numbers, number & 0xFFFFFFFF, &MagicNumber::number);
  return row == magic_numbers.end() ? FileSystem{} : FileSystem{.name = row->name, .remote = row->remote};
}

FileSystem FileSystem::of(int descriptor) noexcept {
  struct statfs system {};
  if (fstatfs(descriptor, &system) != 0) return {};
  FileSystem found = with_number(static_cast<std::uint64_t>(system.f_type));
  struct stat file {};
  if (fstat(descriptor, &file) == 0 && file.st_blksize > 0 &&
      static_cast<std::size_t>(file.st_blksize) <= longest_block)
    found.block = static_cast<std::size_t>(file.st_blksize);
  if (found.name != "lustre") return found;
  std::array<std::byte, 64 << 10> attribute;
  const ssize_t length = fgetxattr(descriptor, "lustre.lov", attribute.data(), attribute.size());
  if (length <= 0) return found;
  if (const auto stripes = lustre_stripes(std::span(attribute).first(static_cast<std::size_t>(length)))) {
    found.stripe_bytes = found.block = stripes->bytes;
    found.stripes = stripes->count;
  }
  return found;
}

/// struct lov_user_md_v1 and _v3 begin alike: magic and pattern (4 bytes each), object id (16 bytes), bytes of a stripe
/// (4 bytes), their number (2 bytes).
std::optional<LustreStripes> lustre_stripes(std::span<const std::byte> attribute) noexcept {
  constexpr std::uint32_t version_1 = 0x0BD10BD0, version_3 = 0x0BD30BD0;
  constexpr std::size_t size_at = 24, count_at = 28;
  std::uint32_t magic = 0;
  std::uint32_t bytes = 0;
  std::uint16_t count = 0;
  if (attribute.size() < count_at + sizeof count) return std::nullopt;
  std::memcpy(&magic, attribute.data(), sizeof magic);
  std::memcpy(&bytes, attribute.data() + size_at, sizeof bytes);
  std::memcpy(&count, attribute.data() + count_at, sizeof count);
  if ((magic != version_1 && magic != version_3) || bytes == 0 || count == 0) return std::nullopt;
  return LustreStripes{bytes, count};
}

}  // namespace bowline::mpiio
