// SPDX-License-Identifier: BSD-3-Clause
// What a program or a library tells the dynamic loader about the libraries that it needs.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace bowline::launcher {

struct ElfFile {
  std::filesystem::path path;
  std::vector<std::string> needed;  ///< sonames, in the loader's order
  /// Directories to search, separated by colons. The loader looks into the directories of `rpath` before
  /// LD_LIBRARY_PATH. If there is a `runpath`, the loader ignores `rpath` and looks into `runpath` after
  /// LD_LIBRARY_PATH.
  std::string rpath, runpath;
};

/// Reads an ELF file. Nothing if the file cannot be read, or is no dynamic ELF file for this machine.
std::optional<ElfFile> read_elf(const std::filesystem::path& path);

}  // namespace bowline::launcher
