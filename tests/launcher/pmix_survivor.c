/* SPDX-License-Identifier: BSD-3-Clause */
/* A PMIx client whose rank 1 kills itself. Its argument says when:
 *
 *   fence, connect   while the others, but rank 2, wait for it there
 *   before           before it has called PMIx_Init
 *   crowd            once all have started, together with all others but rank 0, which waits for as many events
 *
 * The others print what PMIx says of operations with the lost rank, and without it, and which event they get. */
#include <pmix.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { most = 16, lost = 1, late = 2 };

static pmix_proc_t self;
static pmix_proc_t all[most], living[most];
static size_t all_count = 0, living_count = 0;
static atomic_int told = 0;

static void say(const char* what, pmix_status_t status) {
  printf("rank %u: %s: %s\n", self.rank, what, PMIx_Error_string(status));
  fflush(stdout);
}

static void on_loss(size_t id, pmix_status_t status, const pmix_proc_t* source, pmix_info_t info[], size_t infos,
                    pmix_info_t* results, size_t count, pmix_event_notification_cbfunc_fn_t done, void* context) {
  (void)id, (void)results, (void)count;
  for (size_t i = 0; i < infos; ++i) {
    if (PMIX_CHECK_KEY(&info[i], PMIX_EVENT_TEXT_MESSAGE))
      printf("rank %u: event: %s of rank %u: %s\n", self.rank, PMIx_Error_string(status), source->rank,
             info[i].value.data.string);
  }
  fflush(stdout);
  ++told;
  if (done != NULL) done(PMIX_EVENT_ACTION_COMPLETE, NULL, 0, NULL, NULL, context);
}

static void find_ranks(void) {
  pmix_proc_t job;
  pmix_value_t* value = NULL;
  PMIX_LOAD_PROCID(&job, self.nspace, PMIX_RANK_WILDCARD);
  if (PMIx_Get(&job, PMIX_JOB_SIZE, NULL, 0, &value) != PMIX_SUCCESS) exit(98);
  for (pmix_rank_t rank = 0; rank < value->data.uint32; ++rank) {
    PMIX_LOAD_PROCID(&all[all_count], self.nspace, rank);
    ++all_count;
    if (rank == lost) continue;
    PMIX_LOAD_PROCID(&living[living_count], self.nspace, rank);
    ++living_count;
  }
}

int main(int argc, char** argv) {
  const char* when = argc > 1 ? argv[1] : "fence";
  const int rank = atoi(getenv("PMIX_RANK"));
  if (strcmp(when, "before") == 0 && rank == lost) raise(SIGKILL);
  if (PMIx_Init(&self, NULL, 0) != PMIX_SUCCESS) return 99;
  find_ranks();
  pmix_status_t codes[] = {PMIX_ERR_PROC_ABORTED_BY_SIG, PMIX_ERR_PROC_TERM_WO_SYNC};
  if (PMIx_Register_event_handler(codes, 2, NULL, 0, on_loss, NULL, NULL) < 0) return 97;
  say("start", PMIx_Fence(NULL, 0, NULL, 0));
  if (strcmp(when, "crowd") == 0) {
    if (rank != 0) raise(SIGKILL);
    while (told + 1 < (int)all_count) usleep(1000);
    return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 96;
  }
  usleep(100000 * (rank == lost ? 2 : rank == late ? 4 : 0));
  if (rank == lost) raise(SIGKILL);
  if (strcmp(when, "fence") == 0) say("fence in progress", PMIx_Fence(all, all_count, NULL, 0));
  if (strcmp(when, "connect") == 0) say("connect in progress", PMIx_Connect(all, all_count, NULL, 0));
  while (told == 0) usleep(1000);
  say("fence of the living", PMIx_Fence(living, living_count, NULL, 0));
  say("fence of all", PMIx_Fence(all, all_count, NULL, 0));
  say("fence of the job", PMIx_Fence(NULL, 0, NULL, 0));
  say("connect of the living", PMIx_Connect(living, living_count, NULL, 0));
  say("connect of all", PMIx_Connect(all, all_count, NULL, 0));
  return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 96;
}
