// SPDX-License-Identifier: BSD-3-Clause
// Chapter: communicators and groups.
#include "chapter.hpp"

namespace chapter {
namespace {

void works(MPI_Comm comm) {
  int mine = 1, sum = 0, members = 0;
  must(MPI_Comm_size(comm, &members));
  must(MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, comm));
  right(sum == members, "allreduce in a new communicator");
}

void groups() {
  Group world, part, rest, both, ranges, none;
  const int first[] = {0};
  int range[][3] = {{0, 0, 1}};
  must(MPI_Comm_group(MPI_COMM_WORLD, &world));
  must(MPI_Group_incl(world, 1, first, &part));
  must(MPI_Group_excl(world, 1, first, &rest));
  must(MPI_Group_union(rest, part, &both));
  must(MPI_Group_range_incl(world, 1, range, &ranges));
  must(MPI_Group_intersection(part, rest, &none));
  int members = -1, result = -1;
  must(MPI_Group_size(both, &members));
  right(members == size, "union");
  must(MPI_Group_compare(part, ranges, &result));
  right(result == MPI_IDENT, "groups compared");
  int there = -1;
  must(MPI_Group_translate_ranks(both, 1, first, world, &there));
  Comm comm;
  if (rank == 0) {
    must(MPI_Comm_create_group(MPI_COMM_WORLD, part, 3, &comm));
    works(comm);
  }
}

void intercommunicators() {
  if (size < 2) return;
  Comm half, inter, merged;
  must(MPI_Comm_split(MPI_COMM_WORLD, rank % 2, 0, &half));
  must(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 5, &inter));
  must(MPI_Barrier(inter));
  must(MPI_Intercomm_merge(inter, rank % 2, &merged));
  works(merged);
}

void names_and_hints(MPI_Comm comm) {
  Info info, used;
  must(MPI_Info_create(&info));
  must(MPI_Info_set(info, "mpi_assert_no_any_tag", "true"));
  must(MPI_Info_set(info, "a key that no library knows, and a long one",
                    "a value that is too long to be kept in place"));
  must(MPI_Comm_set_info(comm, info));
  must(MPI_Comm_get_info(comm, &used));
  must(MPI_Comm_set_name(comm, "the name of a communicator that is too long to be kept in place"));
  Comm with;
  must(MPI_Comm_dup_with_info(comm, info, &with));
  works(with);
}

void handle(MPI_Comm*, int*, ...) {}

void run() {
  Comm copy, later, split, shared, created;
  must(MPI_Comm_dup(MPI_COMM_WORLD, &copy));
  works(copy);
  {
    Requests<1> request;
    must(MPI_Comm_idup(MPI_COMM_WORLD, &later, request[0]));
    request.wait();
  }
  works(later);
  must(MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &split));
  works(split);
  must(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &shared));
  works(shared);
  Group world;
  must(MPI_Comm_group(MPI_COMM_WORLD, &world));
  must(MPI_Comm_create(MPI_COMM_WORLD, world, &created));
  works(created);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  must(MPI_Comm_create_errhandler(handle, &handler));
  MPI_Errhandler_free(&handler);
  int added = 0;
  must(MPI_Add_error_class(&added));
  const int removed = MPI_Remove_error_class(added);
  must(removed);
  names_and_hints(copy);
  groups();
  intercommunicators();
}

}  // namespace

const Chapter communicators{"communicators", run};

}  // namespace chapter
