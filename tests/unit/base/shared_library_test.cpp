// SPDX-License-Identifier: BSD-3-Clause
// base: libraries that are loaded when they are needed.
#include "base/shared_library.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <span>
#include <string>

#include "base/error.hpp"

namespace bowline {
namespace {

constexpr SharedLibrary::Facts maths{
    .file = "libm.so.6", .purpose = "roots are computed by libm", .remedy = "install libm (Debian: libc6)"};

std::string sentence_of(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::other);
    return error.what();
  }
  return "no error";
}

TEST(SharedLibrary, FunctionsOfALibraryThatIsThere) {
  const struct {
    SharedLibrary file{maths};
    double (*cbrt)(double) = file.function("cbrt");
    double (*optional)(double) = file.function_or_null("cbrt");
    double (*unknown)(double) = file.function_or_null("bowline_has_no_such_function");
  } library;
  EXPECT_DOUBLE_EQ(library.cbrt(27.0), 3.0);
  EXPECT_EQ(library.optional, library.cbrt);
  EXPECT_EQ(library.unknown, nullptr);
}

TEST(SharedLibrary, AMissingFunctionIsNamedWithTheFileThatWasLoaded) {
  const SharedLibrary library(maths);
  EXPECT_EQ(library.path().front(), '/');
  EXPECT_EQ(sentence_of([&] { library.function("bowline_has_no_such_function"); }),
            "roots are computed by libm, but " + library.path() +
                " has no function bowline_has_no_such_function; install libm (Debian: libc6)");
}

TEST(SharedLibrary, AMissingLibraryIsNamed) {
  EXPECT_EQ(sentence_of([] {
              SharedLibrary({.file = "libbowline-is-not-there.so.7",
                             .purpose = "peers are reached through it",
                             .remedy = "install it, or set BOWLINE_NETWORK=ucx"});
            }),
            "peers are reached through it, but libbowline-is-not-there.so.7: cannot open shared object file: No such "
            "file or directory; install it, or set BOWLINE_NETWORK=ucx");
}

TEST(SharedLibrary, TheFirstOfSeveralFilesThatIsThereAndNewEnoughIsLoaded) {
  const std::array<std::string, 3> files{"/nowhere/libm.so.6", "libm.so.6", "libc.so.6"};
  EXPECT_EQ(SharedLibrary(maths, files).path(), SharedLibrary(maths).path());
  SharedLibrary::Facts words = maths;
  words.since = "strlen";
  // libm is linked with libc, so a function of libc is found there, too.
  EXPECT_EQ(SharedLibrary(words, std::array<std::string, 2>{"/etc/hostname", "libm.so.6"}).path(),
            SharedLibrary(maths).path());
}

TEST(SharedLibrary, OfSeveralUnfitFilesTheOneThatExistsIsNamed) {
  SharedLibrary::Facts newer = maths;
  newer.since = "bowline_has_no_such_function";
  const std::array<std::string, 3> files{"/nowhere/libm.so.6", "libm.so.6", "/nowhere/else"};
  EXPECT_EQ(sentence_of([&] { SharedLibrary(newer, files); }),
            "roots are computed by libm, but " + SharedLibrary(maths).path() +
                " is too old: it has no function bowline_has_no_such_function; install libm (Debian: libc6)");
  EXPECT_EQ(sentence_of([&] { SharedLibrary(newer, std::span(files).first(1)); }),
            "roots are computed by libm, but /nowhere/libm.so.6: cannot open shared object file: No such file or "
            "directory; install libm (Debian: libc6)");
}

}  // namespace
}  // namespace bowline
