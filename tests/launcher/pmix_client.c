/* SPDX-License-Identifier: BSD-3-Clause */
/* A PMIx client without any MPI library: wires up, then does what its argument says. Rank 1 misbehaves. */
#include <pmix.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void check(pmix_status_t status, const char* what) {
  if (status == PMIX_SUCCESS) return;
  fprintf(stderr, "%s: %s\n", what, PMIx_Error_string(status));
  exit(99);
}

static uint32_t get_u32(const pmix_proc_t* process, const char* key) {
  pmix_value_t* value = NULL;
  uint32_t number = 0;
  check(PMIx_Get(process, key, NULL, 0, &value), key);
  if (value->type == PMIX_UINT16)
    number = value->data.uint16;
  else if (value->type == PMIX_PROC_RANK)
    number = value->data.rank;
  else if (value->type == PMIX_UINT32)
    number = value->data.uint32;
  else
    exit(98);
  PMIX_VALUE_RELEASE(value);
  return number;
}

static void print_text(const pmix_proc_t* process, const char* name, const char* key) {
  pmix_value_t* value = NULL;
  const pmix_status_t status = PMIx_Get(process, key, NULL, 0, &value);
  if (status == PMIX_SUCCESS)
    printf(" %s=%s", name, value->data.string);
  else
    printf(" %s=none", name);
}

enum { card_size = PMIX_MAX_NSLEN + 64 };

static void write_card(char* text, const pmix_proc_t* process) {
  snprintf(text, card_size, "card of rank %u of %s", process->rank, process->nspace);
}

/* Every rank publishes a card and reads everybody's. */
static void exchange_cards(const pmix_proc_t* self, const pmix_proc_t* job, uint32_t size) {
  char text[card_size];
  pmix_value_t card;
  pmix_info_t collect;
  bool yes = true;
  write_card(text, self);
  PMIX_VALUE_LOAD(&card, text, PMIX_STRING);
  check(PMIx_Put(PMIX_GLOBAL, "test.card", &card), "PMIx_Put");
  check(PMIx_Commit(), "PMIx_Commit");
  PMIX_INFO_LOAD(&collect, PMIX_COLLECT_DATA, &yes, PMIX_BOOL);
  /* Anew if another rank has left the program before this one meanwhile. */
  pmix_status_t status = PMIX_ERR_PARTIAL_SUCCESS;
  while (status == PMIX_ERR_PARTIAL_SUCCESS) status = PMIx_Fence(job, 1, &collect, 1);
  check(status, "PMIx_Fence");
  for (uint32_t rank = 0; rank < size; ++rank) {
    pmix_proc_t peer;
    pmix_value_t* value = NULL;
    PMIX_LOAD_PROCID(&peer, self->nspace, rank);
    check(PMIx_Get(&peer, "test.card", NULL, 0, &value), "PMIx_Get of a card");
    write_card(text, &peer);
    if (strcmp(value->data.string, text) != 0) exit(97);
    PMIX_VALUE_RELEASE(value);
  }
}

static void print_keys(const pmix_proc_t* self, const pmix_proc_t* job) {
  printf("rank=%u size=%u universe=%u local_size=%u node_size=%u nodes=%u", self->rank, get_u32(job, PMIX_JOB_SIZE),
         get_u32(job, PMIX_UNIV_SIZE), get_u32(job, PMIX_LOCAL_SIZE), get_u32(job, PMIX_NODE_SIZE),
         get_u32(job, PMIX_NUM_NODES));
  printf(" local_rank=%u node_rank=%u node=%u app=%u app_rank=%u", get_u32(self, PMIX_LOCAL_RANK),
         get_u32(self, PMIX_NODE_RANK), get_u32(self, PMIX_NODEID), get_u32(self, PMIX_APPNUM),
         get_u32(self, PMIX_APP_RANK));
  print_text(self, "host", PMIX_HOSTNAME);
  print_text(job, "peers", PMIX_LOCAL_PEERS);
  print_text(job, "tmpdir", PMIX_TMPDIR);
  print_text(self, "cpus", PMIX_CPUSET);
  printf("\n");
}

/* Says what PMIx answers about a rank of another job. Returns whether that has a card. */
static bool print_card(int index, const pmix_proc_t* process) {
  char text[card_size];
  pmix_value_t* value = NULL;
  const pmix_status_t status = PMIx_Get(process, "test.card", NULL, 0, &value);
  write_card(text, process);
  printf("job %d rank %u: %s\n", index, process->rank,
         status != PMIX_SUCCESS                  ? PMIx_Error_string(status)
         : strcmp(value->data.string, text) == 0 ? "its card"
                                                 : "another card");
  if (status == PMIX_SUCCESS) PMIX_VALUE_RELEASE(value);
  return status == PMIX_SUCCESS;
}

/* The names and sizes of all jobs are in TEST_JOBS. Prints the cards of the other ones' ranks, and finds
 * those that have one. */
static size_t print_cards_of_others(const pmix_proc_t* self, pmix_proc_t* others, size_t most) {
  size_t count = 0;
  char* text = strdup(getenv("TEST_JOBS"));
  int index = 0;
  for (char* word = strtok(text, ","); word != NULL; word = strtok(NULL, ","), ++index) {
    char* colon = strchr(word, ':');
    *colon = '\0';
    for (int rank = 0; strcmp(word, self->nspace) != 0 && rank < atoi(colon + 1) && count < most; ++rank) {
      PMIX_LOAD_PROCID(&others[count], word, (pmix_rank_t)rank);
      count += print_card(index, &others[count]);
    }
  }
  free(text);
  return count;
}

/* Waits for files, whose names are separated by commas. */
static void wait_for_files(const char* names) {
  char* text = strdup(names);
  for (char* name = strtok(text, ","); name != NULL; name = strtok(NULL, ",")) {
    while (access(name, F_OK) != 0) usleep(5000);
  }
  free(text);
}

static void make_file(const char* what, const pmix_proc_t* self) {
  char name[64];
  snprintf(name, sizeof name, "%s.%s.%u", what, getenv("JOB"), self->rank);
  fclose(fopen(name, "w"));
}

/* Once the files of argv[2] exist: looks at the cards of other jobs. Then "end" ends those who have one, and itself;
 * "stay" waits for the files of argv[4], and "again" looks again once they exist. */
static void meet(const pmix_proc_t* self, int argc, char** argv) {
  pmix_proc_t others[16];
  make_file("met", self);
  wait_for_files(argv[2]);
  const size_t count = print_cards_of_others(self, others, 16);
  make_file("read", self);
  if (argc > 3 && strcmp(argv[3], "end") == 0) PMIx_Abort(9, "enough", others, count);
  if (argc <= 4) return;
  wait_for_files(argv[4]);
  if (strcmp(argv[3], "again") == 0) print_cards_of_others(self, others, 16);
}

int main(int argc, char** argv) {
  const char* action = argc > 1 ? argv[1] : "finish";
  pmix_proc_t self, job;
  check(PMIx_Init(&self, NULL, 0), "PMIx_Init");
  if (strcmp(action, "init") == 0) return PMIx_Finalize(NULL, 0) == PMIX_SUCCESS ? 0 : 96;
  PMIX_LOAD_PROCID(&job, self.nspace, PMIX_RANK_WILDCARD);
  exchange_cards(&self, &job, get_u32(&job, PMIX_JOB_SIZE));
  if (strcmp(action, "keys") == 0) print_keys(&self, &job);
  if (strcmp(action, "abort") == 0) {
    if (self.rank == 1) PMIx_Abort(atoi(argv[2]), argc > 3 ? argv[3] : NULL, NULL, 0);
    sleep(60);
  }
  if (strcmp(action, "meet") == 0) meet(&self, argc, argv);
  if (strcmp(action, "crash") == 0) {
    if (self.rank == 1) raise(SIGSEGV);
    sleep(60);
  }
  if (strcmp(action, "stay") == 0) sleep(60);
  if (strcmp(action, "leave") == 0) { /* without PMIx_Finalize, with this exit status */
    if (self.rank == 1) _exit(atoi(argv[2]));
    sleep(60);
  }
  check(PMIx_Finalize(NULL, 0), "PMIx_Finalize");
  printf("rank %u ends\n", self.rank);
  return strcmp(action, "status") == 0 && self.rank == 1 ? atoi(argv[2]) : 0;
}
