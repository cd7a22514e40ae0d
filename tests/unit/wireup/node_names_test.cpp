// SPDX-License-Identifier: BSD-3-Clause
// wireup/node_names: names of nodes become numbers; a host that is not in the list gets a sentence.
#include "wireup/node_names.hpp"

#include <gtest/gtest.h>

#include <string>

#include "base/error.hpp"

namespace bowline::wireup {
namespace {

TEST(NodeNames, AreNumberedInTheOrderOfTheList) {
  const NodeNames names("n3,n1,n20");
  EXPECT_EQ(names.number_of("n3", 0), 0);
  EXPECT_EQ(names.number_of("n1", 1), 1);
  EXPECT_EQ(names.number_of("n20", 2), 2);
}

TEST(NodeNames, OneNode) {
  EXPECT_EQ(NodeNames("login.example.org").number_of("login.example.org", 0), 0);
}

TEST(NodeNames, AHostThatIsNotInTheList) {
  for (const char* host : {"n2", "n", ""}) {
    try {
      NodeNames("n1,n20").number_of(host, 5);
      ADD_FAILURE() << host;
    } catch (const Error& error) {
      EXPECT_EQ(error.error_class(), ErrorClass::other);
      EXPECT_EQ(std::string(error.what()), "the PMIx server says that rank 5 runs on " + std::string(host) +
                                               ", which is not in its list of nodes, n1,n20");
    }
  }
}

}  // namespace
}  // namespace bowline::wireup
