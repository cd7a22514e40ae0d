// SPDX-License-Identifier: BSD-3-Clause
// For which MPI's ABI a program was built, as its ELF file and the libraries that it needs tell.
#pragma once
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace bowline::launcher {

/// An ABI of MPI for which Bowline has a library.
struct Abi {
  const char* name;      ///< as the user writes it: in BOWLINE_ABI, in bowline-info --abi
  const char* in_words;  ///< "MPICH's ABI"
  const char* folder;    ///< of its libraries, in lib/bowline; nullptr: lib itself
  std::span<const char* const> sonames;
};
extern const std::span<const Abi> known_abis;

/// The ABI with this name; nullptr if there is none.
const Abi* find_abi(const std::string& name);

/// An MPI library that a program needs.
struct MpiLibrary {
  std::string soname;
  const Abi* abi;                   ///< nullptr: an MPI library of a version that Bowline does not know
  std::filesystem::path needed_by;  ///< the program, or one of its libraries, that needs this library
  /// Whether the file that needs the library has an RPATH, where the loader looks before LD_LIBRARY_PATH.
  bool by_rpath;
  std::filesystem::path found = {};  ///< the file that the loader takes by itself; empty if it finds none
};

/// What mpiexec can learn about a program without running it.
struct AbiFinding {
  /// The interpreter, if the program is a script: what a script runs can be seen only as far as it names programs.
  /// Empty: no script.
  std::string interpreter;
  std::vector<MpiLibrary> libraries;  ///< each soname once

  /// The ABI, if all libraries have the same one; otherwise nullptr.
  const Abi* abi() const;
};

/// What follows the program's name in a sentence: "was built for MPICH's ABI".
std::string in_words(const AbiFinding& finding);

/// `library_path`: the value of LD_LIBRARY_PATH. Names in a script are looked up relative to `directory` and in `path`,
/// the value of PATH.
AbiFinding examine_program(const std::filesystem::path& program, const std::string& library_path,
                           const std::filesystem::path& directory, const std::string& path);

}  // namespace bowline::launcher
