/* SPDX-License-Identifier: BSD-3-Clause */
/* A tool that finds where a program calls MPI, as mpiP does: calls, bytes and time by call site. A call site is the
   first return address outside of MPI's libraries and of this one. Rank 0 prints its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <execinfo.h>
#include <link.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_sites = 64, most_frames = 16 };

struct Site {
  const char* function;
  void* address;
  int calls;
  long bytes;
  double seconds;
};
static struct Site sites[most_sites];
static int known;

static int is_in_a_library_of_mpi(void* address) {
  Dl_info object, own;
  if (dladdr(address, &object) == 0 || object.dli_fname == NULL) return 0;
  dladdr((void*)&sites, &own);
  const char* slash = strrchr(object.dli_fname, '/');
  const char* name = slash == NULL ? object.dli_fname : slash + 1;
  return object.dli_fbase == own.dli_fbase || strncmp(name, "libmpi", 6) == 0;
}

/* `direct`: where the wrapper returns to. A procedure of Fortran stands between the program and the wrapper. */
static void* call_site(void* direct) {
  void* frames[most_frames];
  if (!is_in_a_library_of_mpi(direct)) return direct;
  const int depth = backtrace(frames, most_frames);
  for (int i = 0; i < depth; ++i) {
    if (!is_in_a_library_of_mpi(frames[i])) return frames[i];
  }
  return direct;
}

static void add(const char* function, void* direct, int count, MPI_Datatype type, double began) {
  void* const address = call_site(direct);
  int size = 0, i = 0;
  if (type != MPI_DATATYPE_NULL) PMPI_Type_size(type, &size);
  while (i < known && (sites[i].address != address || strcmp(sites[i].function, function) != 0)) ++i;
  if (i == most_sites) return;
  if (i == known) sites[known++] = (struct Site){function, address, 0, 0, 0};
  ++sites[i].calls;
  sites[i].bytes += (long)count * size;
  sites[i].seconds += PMPI_Wtime() - began;
}

/* The call instruction ends one byte before the return address. */
static void print(const struct Site* site) {
  Dl_info object;
  struct link_map* map;
  char command[4096], line[1024] = "?";
  if (dladdr1(site->address, &object, (void**)&map, RTLD_DL_LINKMAP) == 0) return;
  const char* file = map->l_name[0] != '\0' ? map->l_name : "/proc/self/exe";
  char executable[2048];
  const char* path = realpath(file, executable);
  snprintf(command, sizeof command, "env -u LD_PRELOAD addr2line -e '%s' %#lx", path == NULL ? file : path,
           (unsigned long)((char*)site->address - 1 - (char*)map->l_addr));
  FILE* answer = popen(command, "r");
  if (answer != NULL && fgets(line, sizeof line, answer) != NULL) line[strcspn(line, " \n")] = '\0';
  if (answer != NULL) pclose(answer);
  printf("site %s %s calls %d bytes %ld seconds %.6f\n", site->function, line, site->calls, site->bytes, site->seconds);
}

int MPI_Send(const void* buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  const double began = PMPI_Wtime();
  const int code = PMPI_Send(buf, count, type, dest, tag, comm);
  add("MPI_Send", __builtin_return_address(0), count, type, began);
  return code;
}

int MPI_Recv(void* buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status* status) {
  const double began = PMPI_Wtime();
  const int code = PMPI_Recv(buf, count, type, source, tag, comm, status);
  add("MPI_Recv", __builtin_return_address(0), count, type, began);
  return code;
}

int MPI_Allreduce(const void* in, void* out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm) {
  const double began = PMPI_Wtime();
  const int code = PMPI_Allreduce(in, out, count, type, op, comm);
  add("MPI_Allreduce", __builtin_return_address(0), count, type, began);
  return code;
}

int MPI_Barrier(MPI_Comm comm) {
  const double began = PMPI_Wtime();
  const int code = PMPI_Barrier(comm);
  add("MPI_Barrier", __builtin_return_address(0), 0, MPI_DATATYPE_NULL, began);
  return code;
}

int MPI_Finalize(void) {
  int rank;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int i = 0; i < known && rank == 0; ++i) print(&sites[i]);
  fflush(stdout);
  return PMPI_Finalize();
}
