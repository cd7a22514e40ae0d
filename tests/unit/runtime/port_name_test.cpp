// SPDX-License-Identifier: BSD-3-Clause
// runtime/jobs/port_name: names of ports and what is no such name.
#include "runtime/jobs/port_name.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "base/error.hpp"

namespace bowline::runtime {
namespace {

PortName some_name(std::vector<std::string> addresses) {
  PortName name{.node = 0x8c3f00aa, .port = 40123, .secret = {}, .addresses = std::move(addresses)};
  for (std::size_t i = 0; i < name.secret.size(); ++i) name.secret[i] = std::byte(i * 17);
  return name;
}

TEST(PortName, IsReadAsItWasWritten) {
  for (const std::vector<std::string>& addresses :
       {std::vector<std::string>{}, {"10.0.0.7"}, {"10.0.0.7", "fd00::7"}}) {
    const PortName name = some_name(addresses);
    EXPECT_EQ(PortName::read(name.text()), name);
  }
  EXPECT_EQ(some_name({"10.0.0.7", "fd00::7"}).text(),
            "bowline:8c3f00aa:40123:00112233445566778899aabbccddeeff:10.0.0.7,fd00::7");
}

TEST(PortName, HasAsManyAddressesAsFit) {
  const std::vector<std::string> many(100, "2001:0db8:85a3:1111:2222:8a2e:0370:7334");
  const std::string text = some_name(many).text();
  EXPECT_LE(text.size(), PortName::longest);
  EXPECT_GE(PortName::read(text).addresses.size(), 4U);
}

TEST(PortName, OtherTextsAreRefused) {
  const std::string good = some_name({"10.0.0.7"}).text();
  std::vector<std::string> wrong{"",
                                 "bowline",
                                 "tag#0$connentry#0200$",
                                 "bowline:1:0:00112233445566778899aabbccddeeff:",
                                 "bowline:1:65536:00112233445566778899aabbccddeeff:",
                                 "bowline:1:-1:00112233445566778899aabbccddeeff:",
                                 "bowline:x:1:00112233445566778899aabbccddeeff:",
                                 "bowline:1:1:00112233445566778899aabbccddeef:",
                                 "bowline:1:1:00112233445566778899aabbccddeefg:",
                                 "Bowline:1:1:00112233445566778899aabbccddeeff:"};
  for (std::size_t length = 0; length < good.rfind(':'); ++length) wrong.push_back(good.substr(0, length));
  for (const std::string& text : wrong) {
    try {
      PortName::read(text);
      ADD_FAILURE() << "was read: " << text;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::port);
    }
  }
}

TEST(PortName, AnyChangedTextIsReadOrRefused) {
  const unsigned seed = std::random_device()();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  std::mt19937 random(seed);
  const std::string good = some_name({"10.0.0.7", "fd00::7"}).text();
  for (int round = 0; round < 20000; ++round) {
    std::string text = good;
    for (int change = 0; change < 3; ++change) text[random() % text.size()] = static_cast<char>(random());
    try {
      EXPECT_EQ(PortName::read(text).text().size() <= PortName::longest, true);
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::port);
    }
  }
}

}  // namespace
}  // namespace bowline::runtime
