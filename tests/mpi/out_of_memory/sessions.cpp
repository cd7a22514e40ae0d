// SPDX-License-Identifier: BSD-3-Clause
// Chapter: a session beside the world, its process sets and communicators, and a port.
#include "chapter.hpp"

namespace chapter {
namespace {

struct Session : Owned<MPI_Session, MPI_Session_finalize> {
  Session() : Owned(MPI_SESSION_NULL) {}
};

void run() {
  Session session;
  must(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  int sets = 0, length = 200;
  must(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets));
  char name[200];
  must(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, 0, &length, name));
  Info info, about;
  must(MPI_Session_get_pset_info(session, name, &info));
  must(MPI_Session_get_info(session, &about));
  Group group;
  must(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  Comm comm;
  must(MPI_Comm_create_from_group(group, "every_allocation", MPI_INFO_NULL, MPI_ERRORS_RETURN, &comm));
  int mine = 1, sum = 0;
  must(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
  right(sum == size, "allreduce in a communicator of a session");
}

}  // namespace

const Chapter sessions{"sessions", run};

}  // namespace chapter
