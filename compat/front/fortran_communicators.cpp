// SPDX-License-Identifier: BSD-3-Clause
#include "front/fortran_communicators.hpp"

#include <memory>

#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

using Here = abi::PrivateInterface;

struct Delivery {
  Here::Deliver deliver;
  void* target;
};

void deliver_converted(void* data, MPI_Comm made) {
  const std::unique_ptr<Delivery> own(static_cast<Delivery*>(data));
  own->deliver(own->target, abi::out_comm(made));
}

/// `begin` makes the request, which delivers a communicator later: int(Delivery*, MPI_Request*).
template <class Begin>
int begin_making(Begin begin, Here::Deliver deliver, void* target, abi::Request* request) {
  auto own = std::make_unique<Delivery>(Delivery{deliver, target});
  MPI_Request made = MPI_REQUEST_NULL;
  const int code = begin(own.get(), &made);
  if (code == MPI_SUCCESS) {
    static_cast<void>(own.release());  // until it is delivered
    *request = abi::out_request(made);
  }
  return out_code(code);
}

}  // namespace

int duplicate_communicator(abi::Comm comm, abi::Info info, const char* function, Here::Deliver deliver, void* target,
                           abi::Request* request) {
  const auto begin = [=](Delivery* delivery, MPI_Request* made) {
    return interface().duplicate_communicator(abi::in_comm(comm), abi::in_info(info), function, deliver_converted,
                                              delivery, made);
  };
  return begin_making(begin, deliver, target, request);
}

int shrink_communicator(abi::Comm comm, Here::Deliver deliver, void* target, abi::Request* request) {
  const auto begin = [=](Delivery* delivery, MPI_Request* made) {
    return interface().shrink_communicator(abi::in_comm(comm), deliver_converted, delivery, made);
  };
  return begin_making(begin, deliver, target, request);
}

int members(abi::Comm comm, Here::Members which) noexcept {
  return interface().members(abi::in_comm(comm), static_cast<bowline::PrivateInterface::Members>(which));
}

}  // namespace front
