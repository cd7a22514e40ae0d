// SPDX-License-Identifier: BSD-3-Clause
// launcher/abi: what a program needs, and the variables with which it finds Bowline's libraries.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "launcher/abi/elf_file.hpp"
#include "launcher/abi/libraries.hpp"
#include "launcher/abi/library_search.hpp"
#include "launcher/abi/mpi_abi.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

namespace fs = std::filesystem;

/// A directory with the folders of both ABIs.
class LauncherAbi : public ::testing::Test {
 protected:
  LauncherAbi() {
    char name[] = "/tmp/bowline-abi-test-XXXXXX";
    folder = mkdtemp(name);
    fs::create_directory(folder / "mpich");
    fs::create_directory(folder / "openmpi");
  }
  ~LauncherAbi() override { fs::remove_all(folder); }

  fs::path write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name) << text;
    return folder / name;
  }
  static MpiLibrary library(const std::string& soname, const char* abi, bool by_rpath = false) {
    return {.soname = soname,
            .abi = abi == nullptr ? nullptr : find_abi(abi),
            .needed_by = "/x/" + soname + ".user",
            .by_rpath = by_rpath};
  }
  Variables variables(const std::vector<MpiLibrary>& libraries, const std::string& wanted = "",
                      const std::string& library_path = "") const {
    return library_variables("prog", {.interpreter = "", .libraries = libraries}, wanted,
                             {.library_path = library_path, .preload = "", .audit = "", .tunables = ""}, folder);
  }
  std::string error(const std::vector<MpiLibrary>& libraries, const std::string& wanted = "") const {
    try {
      variables(libraries, wanted);
    } catch (const std::runtime_error& what) {
      return what.what();
    }
    return "none";
  }

  fs::path folder;
};

TEST_F(LauncherAbi, AProgramTellsTheLibrariesThatItNeeds) {
  const auto own = read_elf("/proc/self/exe");
  ASSERT_TRUE(own);
  EXPECT_NE(std::ranges::find(own->needed, "libc.so.6"), own->needed.end());
}

TEST_F(LauncherAbi, OtherFilesAndDamagedOnesTellNothing) {
  EXPECT_FALSE(read_elf(folder / "missing"));
  EXPECT_FALSE(read_elf(folder));
  EXPECT_FALSE(read_elf(write("text", "no program")));
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string begin(4096, '\0');
  self.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  for (const std::size_t length : {4UL, 63UL, 64UL, 200UL, 4096UL}) read_elf(write("cut", begin.substr(0, length)));
  for (std::size_t at = 16; at < 64; ++at) {
    std::string broken = begin;
    broken[at] = '\xff';
    read_elf(write("broken", broken));
  }
}

TEST_F(LauncherAbi, LibrariesOfTheSystemAreFound) {
  const ElfFile program{.path = "/proc/self/exe", .needed = {}, .rpath = {}, .runpath = {}};
  const LibrarySearch search("");
  EXPECT_TRUE(search.find("libc.so.6", program, program));
  EXPECT_FALSE(search.find("libno-such-library.so.7", program, program));
}

/// The bytes of a loader's cache whose entries name files for libx.so.1.
struct CacheLine {
  std::uint32_t flags;
  std::uint64_t hardware;
  std::string file;
};
std::string cache_of(const std::vector<CacheLine>& lines) {
  const auto number = [](auto value) { return std::string(reinterpret_cast<const char*>(&value), sizeof value); };
  const std::size_t strings_at = 48 + 24 * lines.size();
  std::string entries;
  std::string strings = std::string("libx.so.1") + '\0';
  for (const CacheLine& line : lines) {
    entries += number(line.flags) + number(static_cast<std::uint32_t>(strings_at)) +
               number(static_cast<std::uint32_t>(strings_at + strings.size())) + number(std::uint32_t{0}) +
               number(line.hardware);
    strings += line.file + '\0';
  }
  return "glibc-ld.so.cache1.1" + number(static_cast<std::uint32_t>(lines.size())) +
         number(static_cast<std::uint32_t>(strings.size())) + std::string(20, '\0') + entries + strings;
}

TEST_F(LauncherAbi, TheCachesEntriesForOtherArchitecturesAreNotForUs) {
#ifdef __x86_64__
  constexpr std::uint32_t own = 0x0303;
#elif defined(__aarch64__)
  constexpr std::uint32_t own = 0x0a03;
#else
  GTEST_SKIP() << "the flags of this architecture in the loader's cache are not known here";
  constexpr std::uint32_t own = 0;
#endif
  constexpr std::uint32_t x32 = 0x0803, i386 = 0x0003;
  constexpr std::uint64_t feature = (1ULL << 62) | 1;
  for (const char* name : {"own", "variant"}) {
    fs::create_directory(folder / name);
    fs::copy_file("/proc/self/exe", folder / name / "libx.so.1");
  }
  fs::create_directory(folder / "other");
  write("other/libx.so.1", "a library for another architecture");
  const auto found_in = [&](std::vector<CacheLine> lines) {
    for (CacheLine& line : lines) line.file = (folder / line.file / "libx.so.1").string();
    const fs::path cache = write("cache", cache_of(lines));
    const ElfFile program{.path = folder / "prog", .needed = {}, .rpath = {}, .runpath = {}};
    const auto found = LibrarySearch("", cache.c_str()).find("libx.so.1", program, program);
    return found ? found->path.parent_path().filename().string() : "nowhere";
  };
  EXPECT_EQ(found_in({{x32, 0, "other"}, {i386, 0, "other"}, {own, 0, "own"}}), "own");
  EXPECT_EQ(found_in({{x32, 0, "other"}, {own, feature, "variant"}, {own, 0, "own"}}), "own");
  EXPECT_EQ(found_in({{i386, 0, "other"}, {own, feature, "variant"}}), "variant");
  EXPECT_EQ(found_in({{1, 0, "own"}}), "own");
  EXPECT_EQ(found_in({{x32, 0, "own"}, {i386, 0, "own"}}), "nowhere");
}

TEST_F(LauncherAbi, DirectoriesAreSearchedInTheLoadersOrder) {
  for (const char* name : {"early", "path", "late"}) {
    fs::create_directory(folder / name);
    fs::copy_file("/proc/self/exe", folder / name / "libx.so.1");
  }
  const auto where = [&](const std::string& rpath, const std::string& runpath) {
    const ElfFile wanting{.path = folder / "prog", .needed = {}, .rpath = rpath, .runpath = runpath};
    const LibrarySearch search((folder / "path").string());
    return search.find("libx.so.1", wanting, wanting)->path.parent_path().filename().string();
  };
  write("prog", "");
  EXPECT_EQ(where("$ORIGIN/early", ""), "early");
  EXPECT_EQ(where("", "${ORIGIN}/late"), "path");
  EXPECT_EQ(where("$ORIGIN/early", "$ORIGIN/late"), "path");
}

TEST_F(LauncherAbi, AProgramWithoutMpiNeedsNoLibrary) {
  const AbiFinding finding = examine_program("/proc/self/exe", "", "/", "");
  EXPECT_TRUE(finding.libraries.empty());
  EXPECT_EQ(finding.abi(), nullptr);
}

TEST_F(LauncherAbi, AScriptIsRecognized) {
  const AbiFinding finding = examine_program(write("run", "#!/bin/sh -e\nexec true\n"), "", folder, "");
  EXPECT_EQ(finding.interpreter, "/bin/sh -e");
  EXPECT_TRUE(finding.libraries.empty());
}

TEST_F(LauncherAbi, TheFolderOfTheAbiComesFirst) {
  const Variables found = variables({library("libmpich.so.12", "mpich")}, "", "/old");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].first, "LD_LIBRARY_PATH");
  EXPECT_EQ(found[0].second, (folder / "mpich").string() + ":/old");
}

TEST_F(LauncherAbi, TheStandardAbiNeedsNothing) {
  EXPECT_TRUE(variables({library("libmpi_abi.so.1", "standard")}).empty());
}

TEST_F(LauncherAbi, WhatCannotBeSeenGetsAllFolders) {
  const std::string both = (folder / "mpich").string() + ":" + (folder / "openmpi").string();
  EXPECT_EQ(variables({})[0].second, both);
  const AbiFinding script{.interpreter = "/bin/sh", .libraries = {library("libmpich.so.12", "mpich")}};
  EXPECT_EQ(library_variables("run", script, "", {}, folder)[0].second, both);
}

std::string value_of(const Variables& variables, const std::string& name) {
  const auto found = std::ranges::find(variables, name, &Variables::value_type::first);
  return found == variables.end() ? "none" : found->second;
}

TEST_F(LauncherAbi, WhatCannotBeSeenIsAudited) {
  EXPECT_EQ(value_of(variables({}), "LD_AUDIT"), "none");  // the library is not installed
  const std::string ours = write("libbowline_audit.so", "").string();
  EXPECT_EQ(value_of(variables({}), "LD_AUDIT"), ours);
  EXPECT_EQ(value_of(variables({}), "BOWLINE_LIBRARIES"), folder.string());
  EXPECT_EQ(value_of(variables({}, "mpich"), "LD_AUDIT"), ours);
  EXPECT_EQ(value_of(variables({library("libmpich.so.12", "mpich")}), "LD_AUDIT"), "none");
  const auto with = [&](const std::string& audit) {
    return value_of(
        library_variables("run", {}, "", {.library_path = "", .preload = "", .audit = audit, .tunables = ""}, folder),
        "LD_AUDIT");
  };
  EXPECT_EQ(with("/tool.so"), ours + ":/tool.so");
  EXPECT_EQ(with(ours + ":/tool.so"), ours + ":/tool.so");
  const LoaderSettings own{.library_path = "", .preload = "", .audit = "", .tunables = "glibc.malloc.check=1"};
  EXPECT_EQ(value_of(library_variables("run", {}, "", own, folder), "GLIBC_TUNABLES"),
            "glibc.rtld.optional_static_tls=4096:glibc.malloc.check=1");
  EXPECT_EQ(value_of(library_variables("/usr/bin/apptainer", {}, "", {}, folder), "LD_AUDIT"), "none");
}

TEST_F(LauncherAbi, AnotherLibraryOfTheStandardAbiIsAudited) {
  const fs::path fronts = folder / "bowline";
  fs::create_directory(fronts);
  std::ofstream(fronts / "libbowline_audit.so") << "";
  const auto audit_for = [&](const fs::path& found) {
    MpiLibrary standard = library("libmpi_abi.so.1", "standard");
    standard.found = found;
    return value_of(library_variables("prog", {.interpreter = "", .libraries = {standard}}, "", {}, fronts),
                    "LD_AUDIT");
  };
  const fs::path other = write("another", "");
  EXPECT_EQ(audit_for(other), "none");  // there is none of ours
  const fs::path ours = write("libmpi_abi.so.1", "");
  EXPECT_EQ(audit_for(ours), "none");
  EXPECT_EQ(audit_for(other), (fronts / "libbowline_audit.so").string());
  EXPECT_EQ(audit_for(""), (fronts / "libbowline_audit.so").string());
}

TEST_F(LauncherAbi, AnRpathIsPreceded) {
  const Variables found = variables({library("libmpi.so.40", "openmpi", true)});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1], std::pair(std::string("LD_PRELOAD"), (folder / "openmpi/libmpi.so.40").string()));
  const AbiFinding finding{.interpreter = "", .libraries = {library("libmpi.so.40", "openmpi", true)}};
  EXPECT_EQ(library_variables("prog", finding, "",
                              {.library_path = "", .preload = "/tool.so", .audit = "", .tunables = ""}, folder)[1]
                .second,
            "/tool.so:" + (folder / "openmpi/libmpi.so.40").string());
}

TEST_F(LauncherAbi, AnUnknownVersionIsNamed) {
  EXPECT_EQ(error({library("libmpi.so.80", nullptr)}).find("prog was built for libmpi.so.80, an MPI library whose ABI"),
            0U);
}

TEST_F(LauncherAbi, TwoAbisAreNamed) {
  EXPECT_EQ(error({library("libmpi.so.40", "openmpi"), library("libmpich.so.12", "mpich")}),
            "prog needs MPI libraries of two ABIs: /x/libmpi.so.40.user needs libmpi.so.40 and /x/libmpich.so.12.user "
            "needs libmpich.so.12; build all of them for one MPI");
}

TEST_F(LauncherAbi, TheUserDecides) {
  EXPECT_EQ(variables({library("libmpi.so.80", nullptr)}, "openmpi")[0].second, (folder / "openmpi").string());
  EXPECT_TRUE(variables({library("libmpich.so.12", "mpich")}, "standard").empty());
  EXPECT_EQ(error({}, "lam"), "BOWLINE_ABI=lam: must be one of standard, mpich, openmpi, none");
}

TEST_F(LauncherAbi, AMissingFolderIsNamed) {
  fs::remove(folder / "mpich");
  EXPECT_EQ(error({library("libmpich.so.12", "mpich")}),
            "prog was built for MPICH's ABI, but Bowline's libraries with that ABI are not installed: " +
                (folder / "mpich").string() + " is missing");
}

}  // namespace
}  // namespace bowline::launcher
