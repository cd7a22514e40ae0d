// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, section 12.3: one-sided operations.
#include <fmt/format.h>

#include "api/entry/request_handles.hpp"
#include "api/entry/validators.hpp"
#include "api/point_to_point/message.hpp"
#include "base/error.hpp"
#include "bodies.hpp"
#include "dtype/datatype.hpp"
#include "dtype/groups.hpp"
#include "dtype/op.hpp"
#include "proto/engine.hpp"
#include "rma/rma_request.hpp"
#include "rma/window.hpp"

namespace bowline::api {
namespace {

using dtype::Datatype;

proto::Buffer user_buffer(const void* address, MPI_Count count, const Datatype& datatype, const char* name) {
  check::buffer(address, count, datatype, name);
  return view(address, count, datatype);
}

rma::TargetData place(MPI_Aint displacement, MPI_Count count, const Datatype& datatype) {
  MPI_Count bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<MPI_Count>(datatype.size()), &bytes)) [[unlikely]]
    check::refuse::too_long(count, datatype);
  return {displacement, static_cast<std::size_t>(count), &datatype};
}

/// Stands for a side that an operation does not have.
constexpr proto::Buffer no_buffer{nullptr, 0, nullptr};

bool has_operand(const dtype::Op& op) {
  return op.predefined_as() != dtype::Operator::no_op;
}

void check_predefined(const Datatype& datatype) {
  if (datatype.predefined()) return;
  throw Error(
      ErrorClass::type,
      fmt::format("datatype is the derived datatype {}, but this operation is about one element of a predefined "
                  "one",
                  datatype.description()));
}

/// Throws Error (type) unless a compare-and-swap is defined on the type (section 12.3.4): integers, logical values and
/// MPI_BYTE. Like other libraries, Bowline takes MPI_CHAR, too.
void check_swappable(const Datatype& datatype) {
  check_predefined(datatype);
  switch (dtype::group_of(datatype.element())) {
    case dtype::Group::c_integer:
    case dtype::Group::fortran_integer:
    case dtype::Group::multi_language:
    case dtype::Group::logical:
    case dtype::Group::byte:
    case dtype::Group::character:
      return;
    default:
      throw Error(ErrorClass::type,
                  fmt::format("datatype is {}, but a compare-and-swap is about integers, logical values "
                              "or MPI_BYTE",
                              datatype.description()));
  }
}

/// Starts an operation with a request, and returns the user's handle of the request.
template <class Start>
MPI_Request requested(rma::Window& win, const char* what, int target, Start start) {
  if (target == MPI_PROC_NULL) return to_handle(proto::completed_request());
  auto* const request = new rma::RmaRequest(win.engine(), win.context(), what, target);
  try {
    start(request);
  } catch (...) {
    request->discard();
    throw;
  }
  return to_handle(request->all_begun());
}

}  // namespace

void put(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, rma::Window& win) {
  if (target_rank == MPI_PROC_NULL) return;
  win.put(target_rank, user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr"),
          place(target_disp, target_count, target_datatype));
}

void get(void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
         MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, rma::Window& win) {
  if (target_rank == MPI_PROC_NULL) return;
  win.get(target_rank, user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr"),
          place(target_disp, target_count, target_datatype));
}

void accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
                MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const dtype::Op& op,
                rma::Window& win) {
  if (target_rank == MPI_PROC_NULL) return;
  const proto::Buffer origin =
      has_operand(op) ? user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr") : no_buffer;
  win.accumulate(target_rank, {origin, no_buffer, place(target_disp, target_count, target_datatype), &op, nullptr});
}

void get_accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, void* result_addr,
                    MPI_Count result_count, const Datatype& result_datatype, int target_rank, MPI_Aint target_disp,
                    MPI_Count target_count, const Datatype& target_datatype, const dtype::Op& op, rma::Window& win) {
  if (target_rank == MPI_PROC_NULL) return;
  const proto::Buffer origin =
      has_operand(op) ? user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr") : no_buffer;
  win.accumulate(target_rank, {origin, user_buffer(result_addr, result_count, result_datatype, "result_addr"),
                               place(target_disp, target_count, target_datatype), &op, nullptr});
}

void fetch_and_op(const void* origin_addr, void* result_addr, const Datatype& datatype, int target_rank,
                  MPI_Aint target_disp, const dtype::Op& op, rma::Window& win) {
  check_predefined(datatype);
  if (target_rank == MPI_PROC_NULL) return;
  const proto::Buffer origin = has_operand(op) ? user_buffer(origin_addr, 1, datatype, "origin_addr") : no_buffer;
  win.accumulate(target_rank, {origin, user_buffer(result_addr, 1, datatype, "result_addr"),
                               place(target_disp, 1, datatype), &op, nullptr});
}

void compare_and_swap(const void* origin_addr, const void* compare_addr, void* result_addr, const Datatype& datatype,
                      int target_rank, MPI_Aint target_disp, rma::Window& win) {
  check_swappable(datatype);
  if (target_rank == MPI_PROC_NULL) return;
  check::buffer(origin_addr, 1, datatype, "origin_addr");
  check::buffer(compare_addr, 1, datatype, "compare_addr");
  check::buffer(result_addr, 1, datatype, "result_addr");
  win.swap(target_rank, {static_cast<const std::byte*>(compare_addr), static_cast<const std::byte*>(origin_addr),
                         static_cast<std::byte*>(result_addr), place(target_disp, 1, datatype)});
}

void rput(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, rma::Window& win,
          MPI_Request* request) {
  *request = requested(win, "a put", target_rank, [&](rma::RmaRequest* made) {
    win.put(target_rank, user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr"),
            place(target_disp, target_count, target_datatype), made);
  });
}

void rget(void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
          MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, rma::Window& win,
          MPI_Request* request) {
  *request = requested(win, "a get", target_rank, [&](rma::RmaRequest* made) {
    win.get(target_rank, user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr"),
            place(target_disp, target_count, target_datatype), made);
  });
}

void raccumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype, int target_rank,
                 MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const dtype::Op& op,
                 rma::Window& win, MPI_Request* request) {
  *request = requested(win, "an accumulate", target_rank, [&](rma::RmaRequest* made) {
    const proto::Buffer origin =
        has_operand(op) ? user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr") : no_buffer;
    win.accumulate(target_rank, {origin, no_buffer, place(target_disp, target_count, target_datatype), &op, nullptr},
                   made);
  });
}

void rget_accumulate(const void* origin_addr, MPI_Count origin_count, const Datatype& origin_datatype,
                     void* result_addr, MPI_Count result_count, const Datatype& result_datatype, int target_rank,
                     MPI_Aint target_disp, MPI_Count target_count, const Datatype& target_datatype, const dtype::Op& op,
                     rma::Window& win, MPI_Request* request) {
  *request = requested(win, "a get-accumulate", target_rank, [&](rma::RmaRequest* made) {
    const proto::Buffer origin =
        has_operand(op) ? user_buffer(origin_addr, origin_count, origin_datatype, "origin_addr") : no_buffer;
    win.accumulate(target_rank,
                   {origin, user_buffer(result_addr, result_count, result_datatype, "result_addr"),
                    place(target_disp, target_count, target_datatype), &op, nullptr},
                   made);
  });
}

}  // namespace bowline::api
