// SPDX-License-Identifier: BSD-3-Clause
// Generalized requests, and calls that complete several requests.
#include <memory>

#include "front/arguments.hpp"
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

using bowline::PrivateInterface;

/// The user's callbacks of a generalized request.
struct Generalized {
  abi::Grequest_query_function* query_function;
  abi::Grequest_free_function* free_function;
  abi::Grequest_cancel_function* cancel_function;
  void* extra_state;

  static int query(void* data, MPI_Status* status) {
    const auto& own = *static_cast<Generalized*>(data);
    abi::Status here{};
    abi::write_status(here, *status);
    const int code = own.query_function(own.extra_state, &here);
    *status = abi::read_status(here);
    return abi::in_error(code);
  }
  static int free(void* data) {
    const std::unique_ptr<Generalized> own(static_cast<Generalized*>(data));
    return abi::in_error(own->free_function(own->extra_state));
  }
  static int cancel(void* data, int complete) {
    const auto& own = *static_cast<Generalized*>(data);
    return abi::in_error(own.cancel_function(own.extra_state, complete));
  }
};

PrivateInterface::StatusArray array_of(abi::Status* statuses) noexcept {
  return {statuses == abi::status_ignore ? nullptr : statuses, sizeof(abi::Status),
          [](void* status, const MPI_Status& value) { abi::write_status(*static_cast<abi::Status*>(status), value); },
          [](void* status, int code) { static_cast<abi::Status*>(status)->MPI_ERROR = abi::out_error(code); }};
}

}  // namespace

int grequest_start(abi::Grequest_query_function* query, abi::Grequest_free_function* free,
                   abi::Grequest_cancel_function* cancel, void* extra_state, abi::Request* request) {
  auto own = std::make_unique<Generalized>(Generalized{query, free, cancel, extra_state});
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = interface().start_grequest(query == nullptr ? nullptr : Generalized::query,
                                              free == nullptr ? nullptr : Generalized::free,
                                              cancel == nullptr ? nullptr : Generalized::cancel, own.get(), &made);
  if (code == MPI_SUCCESS) {
    static_cast<void>(own.release());  // until the free callback is called
    *request = abi::out_request(made);
  }
  return out_code(code);
}

int waitall(int count, abi::Request* requests, abi::Status* statuses) {
  abi::Requests standard(count, requests);
  const int code = interface().waitall(count, standard.data(), array_of(statuses));
  standard.store();
  return out_code(code);
}

int testall(int count, abi::Request* requests, int* flag, abi::Status* statuses) {
  abi::Requests standard(count, requests);
  const int code = interface().testall(count, standard.data(), flag, array_of(statuses));
  standard.store();
  return out_code(code);
}

int waitsome(int count, abi::Request* requests, int* completed, int* indices, abi::Status* statuses) {
  abi::Requests standard(count, requests);
  const int code = interface().waitsome(count, standard.data(), completed, indices, array_of(statuses));
  standard.store();
  return out_code(code);
}

int testsome(int count, abi::Request* requests, int* completed, int* indices, abi::Status* statuses) {
  abi::Requests standard(count, requests);
  const int code = interface().testsome(count, standard.data(), completed, indices, array_of(statuses));
  standard.store();
  return out_code(code);
}

int request_get_status_all(int count, const abi::Request* requests, int* flag, abi::Status* statuses) {
  const ConstRequests standard(count, requests);
  return out_code(interface().request_get_status_all(count, standard.data(), flag, array_of(statuses)));
}

int request_get_status_some(int count, const abi::Request* requests, int* completed, int* indices,
                            abi::Status* statuses) {
  const ConstRequests standard(count, requests);
  return out_code(interface().request_get_status_some(count, standard.data(), completed, indices, array_of(statuses)));
}

}  // namespace front
