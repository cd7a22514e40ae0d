// SPDX-License-Identifier: BSD-3-Clause
// wireup/rendezvous/line and given_line: what a line may be, and what is said of a wrong one.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "base/error.hpp"
#include "wireup/rendezvous/line.hpp"
#include "wireup/rendezvous/rendezvous.hpp"

namespace bowline::wireup {
namespace {

const std::string secret = "0123456789abcdef";

std::string refusal(const std::string& text) {
  try {
    RendezvousLine::read(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.error_class(), ErrorClass::arg);
    return error.what();
  }
  return "none";
}

TEST(RendezvousLine, HasHostPortSecretAndSize) {
  const RendezvousLine line = RendezvousLine::read("n1.cluster:4711/" + secret + ",12");
  EXPECT_EQ(line.host, "n1.cluster");
  EXPECT_EQ(line.port, 4711);
  EXPECT_EQ(line.secret, secret);
  EXPECT_EQ(line.size, 12);
  EXPECT_EQ(line.rank, std::nullopt);
  EXPECT_EQ(line.place(), "n1.cluster:4711");
}

TEST(RendezvousLine, MayHaveARankAndAnAddressInBrackets) {
  const RendezvousLine line = RendezvousLine::read("[fe80::1]:1/pass/word-with-+signs,2,1");
  EXPECT_EQ(line.host, "fe80::1");
  EXPECT_EQ(line.secret, "pass/word-with-+signs");
  EXPECT_EQ(line.rank, 1);
  EXPECT_EQ(line.place(), "[fe80::1]:1");
}

TEST(RendezvousLine, SaysWhatIsWrong) {
  const auto expect = [](const std::string& text, const std::string& part) {
    const std::string said = refusal(text);
    EXPECT_NE(said.find(part), std::string::npos) << text << ": " << said;
    EXPECT_NE(said.find("BOWLINE_RENDEZVOUS "), std::string::npos) << said;
    EXPECT_NE(said.find("HOST:PORT/SECRET,SIZE"), std::string::npos) << said;
    EXPECT_EQ(said.find(secret), std::string::npos) << said;
  };
  expect("nonsense", "has no \":\"");
  expect(":1/" + secret + ",2", "names no host");
  expect("h:1", "has no \"/\"");
  expect("h:0/" + secret + ",2", "the port \"0\", which must be 1 to 65535");
  expect("h:65536/" + secret + ",2", "the port \"65536\"");
  expect("h:x/" + secret + ",2", "the port \"x\"");
  expect("h:1/" + secret, "has no \",\"");
  expect("h:1/short,2", "a secret of 5 characters, which must have 16 to 64");
  expect("h:1/" + std::string(65, 'x') + ",2", "a secret of 65 characters");
  expect("h:1/0123456789 abcdef,2", "a secret with other characters");
  expect("h:1/" + secret + ",0", "the size \"0\"");
  expect("h:1/" + secret + ",", "the size \"\"");
  expect("h:1/" + secret + ",2,2", "the rank \"2\", which must be 0 to 1");
  expect("h:1/" + secret + ",2,1,0", "the rank \"1,0\"");
  expect("[::1:5/" + secret + ",2", "has no \"]\"");
  expect("[::1]x:5/" + secret + ",2", "other text between");
}

TEST(RendezvousLine, IsTakenOutOfTheEnvironment) {
  setenv(RendezvousLine::variable, ("h:1/" + secret + ",3").c_str(), 1);
  const auto taken = take_rendezvous();
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->size, 3);
  EXPECT_EQ(std::getenv(RendezvousLine::variable), nullptr);
  EXPECT_FALSE(take_rendezvous().has_value());
}

TEST(RendezvousLine, OfACallReplacesThatOfTheEnvironment) {
  setenv(RendezvousLine::variable, ("h:1/" + secret + ",3").c_str(), 1);
  set_rendezvous("h:1/" + secret + ",4", "line");
  EXPECT_EQ(take_rendezvous()->size, 4);
  EXPECT_FALSE(take_rendezvous().has_value());
}

}  // namespace
}  // namespace bowline::wireup
