// SPDX-License-Identifier: BSD-3-Clause
// Where the dynamic loader finds a library.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

#include "launcher/abi/elf_file.hpp"

namespace bowline::launcher {

/// The search follows the rules of glibc's loader, as far as they depend on files: RPATH, LD_LIBRARY_PATH, RUNPATH, the
/// cache that ldconfig makes, the directories of the system.
class LibrarySearch {
 public:
  /// `library_path`: the value of LD_LIBRARY_PATH. `cache`: the file that ldconfig has made.
  explicit LibrarySearch(std::string library_path, const char* cache = "/etc/ld.so.cache");

  /// The library `name` as `wanting` finds it, which is loaded by `program`, directly or through others.
  std::optional<ElfFile> find(const std::string& name, const ElfFile& wanting, const ElfFile& program) const;

 private:
  static std::optional<ElfFile> find_in(const std::string& directories, const std::string& name,
                                        const ElfFile& wanting);
  std::string find_in_cache(const std::string& name) const;

  std::string library_path_;
  std::string cache_;  ///< the contents of the file
};

}  // namespace bowline::launcher
