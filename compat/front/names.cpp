// SPDX-License-Identifier: BSD-3-Clause
// Published names: a port name that is cut off would lead nowhere.
#include <cstring>
#include <string>

#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {

int lookup_name(const char* service_name, abi::Info info, char* port_name) {
  char port[MPI_MAX_PORT_NAME];
  const int code = bowline_PMPI_Lookup_name(service_name, abi::in_info(info), port_name == nullptr ? nullptr : port);
  if (code != MPI_SUCCESS) return out_code(code);
  const std::size_t length = std::strlen(port);
  constexpr auto room = static_cast<std::size_t>(abi::max_port_name);
  if (length >= room) {
    const std::string text = "service_name is published with a port name of " + std::to_string(length) +
                             " characters, but programs that are built for this MPI have room for " +
                             std::to_string(room - 1) +
                             ": publish it with a port name that MPI_Open_port has made, or compile with Bowline";
    return out_code(interface().raise_error(MPI_COMM_NULL, "MPI_Lookup_name", MPI_ERR_NAME, text.c_str()));
  }
  std::memcpy(port_name, port, length + 1);
  return out_code(code);
}

}  // namespace front
