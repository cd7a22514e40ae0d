// SPDX-License-Identifier: BSD-3-Clause
#include "api/tools/object_variables.hpp"

#include "api/tools/adapter_variables.hpp"
#include "api/tools/communicator_variables.hpp"

namespace bowline::api {

const std::vector<const ObjectVariable*>& object_variables() {
  static const std::vector<const ObjectVariable*> all = [] {
    std::vector<const ObjectVariable*> variables;
    for (const auto& list : {adapter_variables(), communicator_variables()})
      variables.insert(variables.end(), list.begin(), list.end());
    return variables;
  }();
  return all;
}

}  // namespace bowline::api
