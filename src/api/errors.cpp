// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 9.3: error handlers, classes and strings.
#include <fmt/format.h>

#include <cstring>

#include "api/handles.hpp"
#include "base/error.hpp"
#include "bodies.hpp"

namespace bowline::api {
namespace {

const char* description(int code) {
  const char* const text = describe(static_cast<ErrorClass>(code));
  if (code < 0 || text == nullptr) {
    throw Error(ErrorClass::arg, fmt::format("errorcode is {}, but error codes of this library are 0 to {}", code,
                                             static_cast<int>(ErrorClass::last_predefined)));
  }
  return text;
}

}  // namespace

void comm_set_errhandler(comm::Communicator& comm, comm::ErrorHandler& errhandler) {
  comm.set_error_handler(errhandler);
}

void comm_get_errhandler(comm::Communicator& comm, MPI_Errhandler* errhandler) {
  *errhandler = to_handle(comm.error_handler());
}

void errhandler_free(MPI_Errhandler* errhandler) {
  if (find_errhandler(*errhandler) == nullptr) {
    throw Error(ErrorClass::errhandler, "errhandler is no error handler: it was freed already, or never set");
  }
  *errhandler =
      MPI_ERRHANDLER_NULL;  // the predefined ones live on; the handle from MPI_Comm_get_errhandler is given back
}

// Codes are classes: the text of each error carries what a code could add.
void error_class(int errorcode, int* errorclass) {
  description(errorcode);
  *errorclass = errorcode;
}

void error_string(int errorcode, char* string, int* resultlen) {
  const std::string_view text = description(errorcode);
  std::memcpy(string, text.data(), text.size() + 1);
  *resultlen = static_cast<int>(text.size());
}

}  // namespace bowline::api
