// SPDX-License-Identifier: BSD-3-Clause
// Communicators that are made later, ranks of groups, and numbers of communication partners.
#include "front/arguments.hpp"
#include "front/functions.hpp"
#include "front/interface.hpp"
#include "front/values.hpp"

namespace front {
namespace {

/// Stores the handle where the program wants it: Bowline's handle may need more room there.
void store_comm(void* target, MPI_Comm made) {
  *static_cast<abi::Comm*>(target) = abi::out_comm(made);
}

int duplicate(MPI_Comm comm, MPI_Info info, abi::Comm* newcomm, abi::Request* request) {
  MPI_Request made = MPI_REQUEST_NULL;
  // The address of a communicator is the only argument that Bowline does not see.
  if (newcomm == nullptr)
    return out_code(bowline_PMPI_Comm_idup(comm, nullptr, request == nullptr ? nullptr : &made));
  *newcomm = abi::out_comm(MPI_COMM_NULL);
  const int code = interface().comm_idup(comm, info, store_comm, newcomm, request == nullptr ? nullptr : &made);
  if (code == MPI_SUCCESS) *request = abi::out_request(made);
  return out_code(code);
}

bool is_inter(MPI_Comm comm) noexcept {
  int inter = 0;
  return bowline_PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && inter != 0;
}

int members(MPI_Comm comm) noexcept {
  int size = 0;
  const int code =
      is_inter(comm) ? bowline_PMPI_Comm_remote_size(comm, &size) : bowline_PMPI_Comm_size(comm, &size);
  return code == MPI_SUCCESS ? size : 0;
}

struct Neighbours {
  int in = 0;
  int out = 0;
};

/// Of a communicator with a virtual topology; none of any other.
Neighbours neighbours(MPI_Comm comm) noexcept {
  int topology = MPI_UNDEFINED;
  bowline_PMPI_Topo_test(comm, &topology);
  Neighbours number;
  if (topology == MPI_CART) {
    int dimensions = 0;
    bowline_PMPI_Cartdim_get(comm, &dimensions);
    number = {2 * dimensions, 2 * dimensions};
  } else if (topology == MPI_GRAPH) {
    int rank = 0;
    bowline_PMPI_Comm_rank(comm, &rank);
    bowline_PMPI_Graph_neighbors_count(comm, rank, &number.in);
    number.out = number.in;
  } else if (topology == MPI_DIST_GRAPH) {
    int weighted = 0;
    bowline_PMPI_Dist_graph_neighbors_count(comm, &number.in, &number.out, &weighted);
  }
  return number;
}

}  // namespace

int comm_idup(abi::Comm comm, abi::Comm* newcomm, abi::Request* request) {
  return duplicate(abi::in_comm(comm), MPI_INFO_NULL, newcomm, request);
}

int comm_idup_with_info(abi::Comm comm, abi::Info info, abi::Comm* newcomm, abi::Request* request) {
  return duplicate(abi::in_comm(comm), abi::in_info(info), newcomm, request);
}

int group_translate_ranks(abi::Group group1, int n, const int* ranks1, abi::Group group2, int* ranks2) {
  const ArrayOf<int, int, abi::in_rank> standard(n, ranks1);
  const int code =
      bowline_PMPI_Group_translate_ranks(abi::in_group(group1), n, standard.data(), abi::in_group(group2), ranks2);
  for (int i = 0; code == MPI_SUCCESS && i < n; ++i) ranks2[i] = abi::out_rank(ranks2[i]);
  return out_code(code);
}

int members_to_send(MPI_Comm comm) noexcept {
  return members(comm);
}
int members_to_receive(MPI_Comm comm) noexcept {
  return members(comm);
}
int neighbours_to_send(MPI_Comm comm) noexcept {
  return neighbours(comm).out;
}
int neighbours_to_receive(MPI_Comm comm) noexcept {
  return neighbours(comm).in;
}

}  // namespace front
