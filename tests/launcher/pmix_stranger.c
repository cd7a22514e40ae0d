/* SPDX-License-Identifier: BSD-3-Clause */
/* A PMIx client or tool that says it belongs to the user whose number CLAIMED_UID is. Prints how PMIx answers; if it is
   let in, ends the job. */
#include <pmix.h>
#include <pmix_tool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static unsigned claimed(void) {
  const char* text = getenv("CLAIMED_UID");
  return text == NULL ? 0 : (unsigned)atoi(text);
}

/* The PMIx library calls these instead of the system's. */
uid_t getuid(void) {
  return claimed();
}
uid_t geteuid(void) {
  return claimed();
}
gid_t getgid(void) {
  return claimed();
}
gid_t getegid(void) {
  return claimed();
}

int main(int argc, char** argv) {
  pmix_proc_t self;
  const int is_tool = argc > 1 && strcmp(argv[1], "tool") == 0;
  const pmix_status_t status = is_tool ? PMIx_tool_init(&self, NULL, 0) : PMIx_Init(&self, NULL, 0);
  printf("%s\n", PMIx_Error_string(status));
  fflush(stdout);
  if (status == PMIX_SUCCESS) PMIx_Abort(9, "a stranger was let in", NULL, 0);
  _exit(0);
}
