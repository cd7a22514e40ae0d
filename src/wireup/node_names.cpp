// SPDX-License-Identifier: BSD-3-Clause
#include "wireup/node_names.hpp"

#include <fmt/format.h>

#include <sstream>

#include "base/error.hpp"

namespace bowline::wireup {

NodeNames::NodeNames(std::string_view list) : list_(list) {
  std::istringstream names(list_);
  int number = 0;
  for (std::string name; std::getline(names, name, ',');) numbers_.try_emplace(name, number++);
}

int NodeNames::number_of(std::string_view host, int rank) const {
  const auto found = numbers_.find(host);
  if (found != numbers_.end()) return found->second;
  throw Error(ErrorClass::other,
              fmt::format("the PMIx server says that rank {} runs on {}, which is not in its list of nodes, {}", rank,
                          host, list_));
}

}  // namespace bowline::wireup
