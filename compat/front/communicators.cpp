// SPDX-License-Identifier: BSD-3-Clause
// Communicators that are made later, ranks of groups, and numbers of communication partners.
#include <algorithm>

#include "front/arguments.hpp"
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

using bowline::PrivateInterface;

/// Stores the handle where the program wants it: Bowline's handle may need more room there.
void store_comm(void* target, MPI_Comm made) {
  *static_cast<abi::Comm*>(target) = abi::out_comm(made);
}

int duplicate(MPI_Comm comm, MPI_Info info, const char* function, abi::Comm* newcomm, abi::Request* request) {
  MPI_Request made = MPI_REQUEST_NULL;
  if (newcomm == nullptr || request == nullptr) {  // which Bowline's function reports
    MPI_Comm never = MPI_COMM_NULL;
    return out_code(bowline_PMPI_Comm_idup(comm, newcomm == nullptr ? nullptr : &never, nullptr));
  }
  *newcomm = abi::out_comm(MPI_COMM_NULL);
  const int code = interface().duplicate_communicator(comm, info, function, store_comm, newcomm, &made);
  if (code == MPI_SUCCESS) *request = abi::out_request(made);
  return out_code(code);
}

/// 0 if the communicator is invalid, which Bowline's function reports.
int number_of(MPI_Comm comm, PrivateInterface::Members which) noexcept {
  return std::max(interface().members(comm, which), 0);
}

}  // namespace

int comm_idup(abi::Comm comm, abi::Comm* newcomm, abi::Request* request) {
  return duplicate(abi::in_comm(comm), MPI_INFO_NULL, "MPI_Comm_idup", newcomm, request);
}

int comm_idup_with_info(abi::Comm comm, abi::Info info, abi::Comm* newcomm, abi::Request* request) {
  return duplicate(abi::in_comm(comm), abi::in_info(info), "MPI_Comm_idup_with_info", newcomm, request);
}

int comm_ishrink(abi::Comm comm, abi::Comm* newcomm, abi::Request* request) {
  MPI_Request made = MPI_REQUEST_NULL;
  if (newcomm == nullptr || request == nullptr) {
    MPI_Comm never = MPI_COMM_NULL;
    return out_code(bowline_PMPIX_Comm_ishrink(abi::in_comm(comm), newcomm == nullptr ? nullptr : &never, nullptr));
  }
  *newcomm = abi::out_comm(MPI_COMM_NULL);
  const int code = interface().shrink_communicator(abi::in_comm(comm), store_comm, newcomm, &made);
  if (code == MPI_SUCCESS) *request = abi::out_request(made);
  return out_code(code);
}

int group_translate_ranks(abi::Group group1, int n, const int* ranks1, abi::Group group2, int* ranks2) {
  const ArrayOf<int, int, abi::in_rank> standard(n, ranks1);
  const int code =
      bowline_PMPI_Group_translate_ranks(abi::in_group(group1), n, standard.data(), abi::in_group(group2), ranks2);
  for (int i = 0; code == MPI_SUCCESS && i < n; ++i) ranks2[i] = abi::out_rank(ranks2[i]);
  return out_code(code);
}

int members_to_send(MPI_Comm comm) noexcept {
  return number_of(comm, PrivateInterface::Members::peers);
}
int members_to_receive(MPI_Comm comm) noexcept {
  return number_of(comm, PrivateInterface::Members::peers);
}
int neighbours_to_send(MPI_Comm comm) noexcept {
  return number_of(comm, PrivateInterface::Members::destinations);
}
int neighbours_to_receive(MPI_Comm comm) noexcept {
  return number_of(comm, PrivateInterface::Members::sources);
}

}  // namespace front
