// SPDX-License-Identifier: BSD-3-Clause
// See mpi_abi.hpp.
#include "launcher/abi/mpi_abi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <string_view>

#include "launcher/abi/elf_file.hpp"
#include "launcher/abi/library_search.hpp"

namespace bowline::launcher {
namespace {

constexpr const char* standard_sonames[] = {"libmpi_abi.so.1", "libmpifort_abi.so.1"};
constexpr const char* mpich_sonames[] = {"libmpich.so.12", "libmpichfort.so.12", "libmpichcxx.so.12",
                                         "libmpi.so.12",   "libmpifort.so.12",   "libmpicxx.so.12"};
constexpr const char* openmpi_sonames[] = {"libmpi.so.40", "libmpi_mpifh.so.40", "libmpi_usempi_ignore_tkr.so.40",
                                           "libmpi_usempif08.so.40", "libmpi_cxx.so.40"};
constexpr std::array all_abis = {
    Abi{"standard", "the standard ABI of MPI-5.0", nullptr, standard_sonames},
    Abi{"mpich", "MPICH's ABI", "mpich", mpich_sonames},
    Abi{"openmpi", "Open MPI's ABI", "openmpi", openmpi_sonames},
};

/// The names of libraries of MPI, up to ".so.VERSION".
constexpr std::string_view mpi_stems[] = {
    "libmpi",           "libmpich",    "libmpi_abi", "libmpifort_abi", "libmpifort",    "libmpichfort",
    "libmpicxx",        "libmpichcxx", "libmpi_cxx", "libmpi_mpifh",   "libmpi_usempi", "libmpi_usempi_ignore_tkr",
    "libmpi_usempif08",
};

bool is_mpi_library(std::string_view soname) {
  const std::size_t end = soname.find(".so.");
  return end != std::string_view::npos && std::ranges::find(mpi_stems, soname.substr(0, end)) != std::end(mpi_stems);
}

const Abi* abi_of(std::string_view soname) {
  for (const Abi& abi : all_abis) {
    if (std::ranges::find(abi.sonames, soname) != abi.sonames.end()) return &abi;
  }
  return nullptr;
}

/// Walks over the libraries of programs, and notes the libraries of MPI.
class LibraryWalk {
 public:
  explicit LibraryWalk(const std::string& library_path) : search_(library_path) {}

  void over(const ElfFile& program) {
    std::set<std::string> seen;
    std::vector<ElfFile> files = {program};
    for (std::size_t i = 0; i < files.size(); ++i) {
      const ElfFile file = files[i];  // the list grows
      for (const std::string& soname : file.needed) {
        if (!seen.insert(soname).second) continue;
        if (is_mpi_library(soname)) {
          note(soname, file, program);
        } else if (auto found = search_.find(soname, file, program)) {
          files.push_back(*std::move(found));
        }
      }
    }
  }

  std::vector<MpiLibrary> take() { return std::move(libraries_); }

 private:
  void note(const std::string& soname, const ElfFile& file, const ElfFile& program) {
    const auto same = [&](const MpiLibrary& each) { return each.soname == soname; };
    if (std::ranges::any_of(libraries_, same)) return;
    const auto found = search_.find(soname, file, program);
    libraries_.push_back({.soname = soname,
                          .abi = abi_of(soname),
                          .needed_by = file.path,
                          .by_rpath = !file.rpath.empty() && file.runpath.empty(),
                          .found = found ? found->path : std::filesystem::path()});
  }

  LibrarySearch search_;
  std::vector<MpiLibrary> libraries_;
};

/// The first bytes of a file, which are all of most scripts.
std::string beginning(const std::filesystem::path& path) {
  constexpr std::size_t most = 64 * 1024;
  std::ifstream file(path, std::ios::binary);
  std::string text(most, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(std::max<std::streamsize>(file.gcount(), 0)));
  return text;
}

/// The words of a script in which names of programs may stand.
std::vector<std::string> words_of(const std::string& script) {
  constexpr std::string_view separators = " \t\r\n\"'`;|&(){}<>=";
  std::vector<std::string> words;
  for (std::size_t begin = 0; begin < script.size();) {
    begin = script.find_first_not_of(separators, begin);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(script.find_first_of(separators, begin), script.size());
    words.push_back(script.substr(begin, end - begin));
    begin = end;
  }
  return words;
}

/// The file that a word in a script names, if it names a program.
std::optional<ElfFile> program_named(const std::string& word, const std::filesystem::path& directory,
                                     const std::string& path) {
  if (word.find('/') != std::string::npos) return read_elf(directory / word);
  for (std::size_t begin = 0; begin < path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    if (auto found = read_elf(std::filesystem::path(path.substr(begin, end - begin)) / word)) return found;
    begin = end + 1;
  }
  return std::nullopt;
}

}  // namespace

const std::span<const Abi> known_abis = all_abis;

const Abi* find_abi(const std::string& name) {
  const auto found = std::ranges::find_if(all_abis, [&](const Abi& abi) { return name == abi.name; });
  return found == all_abis.end() ? nullptr : &*found;
}

const Abi* AbiFinding::abi() const {
  if (libraries.empty()) return nullptr;
  const auto same = [&](const MpiLibrary& library) { return library.abi == libraries.front().abi; };
  return std::ranges::all_of(libraries, same) ? libraries.front().abi : nullptr;
}

std::string in_words(const AbiFinding& finding) {
  const std::string& interpreter = finding.interpreter;
  if (const Abi* const abi = finding.abi()) {
    return fmt::format("{} {}",
                       interpreter.empty() ? "was built for" : "is a script, and names programs that were built for",
                       abi->in_words);
  }
  if (!interpreter.empty())
    return fmt::format("is a script for {}, and names no program that needs an MPI library", interpreter);
  return "needs no MPI library, or loads one later, as interpreters do";
}

AbiFinding examine_program(const std::filesystem::path& program, const std::string& library_path,
                           const std::filesystem::path& directory, const std::string& path) {
  AbiFinding finding;
  LibraryWalk walk(library_path);
  if (const auto file = read_elf(program)) {
    walk.over(*file);
  } else if (const std::string text = beginning(program); text.starts_with("#!")) {
    const std::size_t end = text.find('\n');
    finding.interpreter = text.substr(2, end - 2);
    std::set<std::string> seen;
    for (const std::string& word : words_of(text.substr(std::min(end, text.size())))) {
      if (!seen.insert(word).second) continue;
      if (const auto named = program_named(word, directory, path)) walk.over(*named);
    }
  }
  finding.libraries = walk.take();
  return finding;
}

}  // namespace bowline::launcher
