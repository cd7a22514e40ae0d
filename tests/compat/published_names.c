/* SPDX-License-Identifier: BSD-3-Clause */
/* Published names: errors have this ABI's numbers, and a port name for which this ABI has no room is an error. */
#include "check.h"

/* As long as port names of some ABIs, and longer than those of others. */
#define LONG_PORT 1000

static char port[4 * LONG_PORT], found[MPI_MAX_PORT_NAME];

static void say(const char* what, int code) {
  char text[MPI_MAX_ERROR_STRING];
  int length;
  OK(MPI_Error_string(code, text, &length));
  if (strstr(text, what) == NULL) fprintf(stderr, "\"%s\" does not contain \"%s\"\n", text, what);
  CHECK(strstr(text, what) != NULL);
}

static void look_up(const char* name) {
  int code;
  memset(found, 'z', sizeof found - 1);
  code = MPI_Lookup_name((char*)name, MPI_INFO_NULL, found);
  if (strlen(port) < MPI_MAX_PORT_NAME) {
    CHECK_EQ(code, MPI_SUCCESS);
    CHECK(strcmp(found, port) == 0);
  } else {
    CHECK_EQ(class_of(code), MPI_ERR_NAME);
    say("MPI_Lookup_name: service_name is published with a port name of 1000 characters, but", code);
    CHECK(found[0] == 'z');
  }
}

/* Rank 0 publishes, of whichever ABI it is; so its port name is one that it has room for. */
static void of_length(size_t length, const char* name) {
  memset(port, 'p', length);
  port[length] = '\0';
  if (check_rank == 0) OK(MPI_Publish_name((char*)name, MPI_INFO_NULL, port));
  MPI_Barrier(MPI_COMM_WORLD);
  look_up(name);
  MPI_Barrier(MPI_COMM_WORLD);
  if (check_rank == 0) OK(MPI_Unpublish_name((char*)name, MPI_INFO_NULL, port));
}

int main(int argc, char** argv) {
  int room = MPI_MAX_PORT_NAME, code;
  const char* const name = "compat";
  begin(&argc, &argv);
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Bcast(&room, 1, MPI_INT, 0, MPI_COMM_WORLD);
  of_length(200, name);
  if (room > LONG_PORT) of_length(LONG_PORT, name);

  code = MPI_Lookup_name((char*)"nobody's", MPI_INFO_NULL, found);
  CHECK_EQ(class_of(code), MPI_ERR_NAME);
  say("is not published", code);
  code = MPI_Unpublish_name((char*)"nobody's", MPI_INFO_NULL, (char*)"p");
  CHECK_EQ(class_of(code), MPI_ERR_SERVICE);
  say("cannot be unpublished", code);
  return finish();
}
