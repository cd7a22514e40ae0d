// SPDX-License-Identifier: BSD-3-Clause
// MPI-5.0, chapter 7: communicators. So far MPI_COMM_WORLD and MPI_COMM_SELF, and what can be asked of them.
#include <cstring>

#include "bodies.hpp"

namespace bowline::api {

void comm_rank(comm::Communicator& comm, int* rank) {
  *rank = comm.rank();
}
void comm_size(comm::Communicator& comm, int* size) {
  *size = comm.size();
}

void comm_compare(comm::Communicator& comm1, comm::Communicator& comm2, int* result) {
  const bool same_member = comm1.size() == 1 && comm2.size() == 1;
  *result = &comm1 == &comm2 ? MPI_IDENT : same_member ? MPI_CONGRUENT : MPI_UNEQUAL;
}

void comm_get_name(comm::Communicator& comm, char* comm_name, int* resultlen) {
  std::memcpy(comm_name, comm.name().c_str(), comm.name().size() + 1);
  *resultlen = static_cast<int>(comm.name().size());
}

}  // namespace bowline::api
