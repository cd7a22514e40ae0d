/* SPDX-License-Identifier: BSD-3-Clause */
/* A PMIx client that asks its server for jobs and names. Its arguments are commands, which `then` separates; rank 0
 * carries them out one after the other and prints what comes of each. The other ranks only join in `meet`.
 *
 *   spawn [KEY=VALUE ...] -- N PROGRAM [ARGUMENT ...] [and [KEY=VALUE ...] -- N PROGRAM ...] ...
 *          The keys are those of mpiexec (bowline.path) and PMIx (pmix.host); env.NAME=VALUE sets a variable, cwd=DIR
 *          the directory. The job is the last one for the commands that follow. A program gets `/then` as `then`.
 *   end    waits for the end of the last job         storm N PROGRAM ...  N jobs, one after the end of the other
 *   burst N PROGRAM ...  N jobs at once, and their ends
 *   publish KEY VALUE [job|process|first|app|proc]   unpublish KEY
 *   lookup KEY [wait | SECONDS]    SECONDS: waits, but not longer
 *   parent   prints who has spawned this job          meet LAST|PARENT  connects to all ranks of that job, and leaves
 * it touch FILE, await FILE, abort STATUS, exit STATUS
 */
#include <pmix.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pmix_proc_t self;
static pmix_nspace_t last;

static void say(const char* what, pmix_status_t status, const char* text) {
  printf("%s: %s%s%s\n", what, status == PMIX_SUCCESS ? "ok" : PMIx_Error_string(status), text == NULL ? "" : " ",
         text == NULL ? "" : text);
  fflush(stdout);
}

static void need(pmix_status_t status, const char* what) {
  if (status == PMIX_SUCCESS) return;
  say(what, status, NULL);
  exit(99);
}

/* Looks a key up, with these directives, and prints the text. */
static void look_up(const char* what, const char* key, pmix_info_t* info, size_t count) {
  pmix_pdata_t data;
  PMIX_PDATA_CONSTRUCT(&data);
  PMIX_LOAD_KEY(data.key, key);
  const pmix_status_t status = PMIx_Lookup(&data, 1, info, count);
  say(what, status, status == PMIX_SUCCESS ? data.value.data.string : NULL);
  PMIX_PDATA_DESTRUCT(&data);
}

static void wait_for_end(const char* what) {
  char key[PMIX_MAX_KEYLEN];
  snprintf(key, sizeof key, "bowline.end.%s", last);
  look_up(what, key, NULL, 0);
}

static void add_key(pmix_app_t* app, char* text) {
  char* value = strchr(text, '=');
  *value++ = '\0';
  if (strncmp(text, "env.", 4) == 0) {
    value[-1] = '=';
    if (app->env == NULL) app->env = calloc(8, sizeof *app->env);
    int i = 0;
    while (app->env[i] != NULL) ++i;
    app->env[i] = strdup(text + 4);
  } else if (strcmp(text, "cwd") == 0) {
    app->cwd = strdup(value);
  } else {
    PMIX_INFO_LOAD(&app->info[app->ninfo], text, value, PMIX_STRING);
    ++app->ninfo;
  }
}

/* The words `/then` and `/and`, with one slash or several, lose one. */
static char* unquoted(char* word) {
  const char* name = word + strspn(word, "/");
  return word[0] == '/' && (strcmp(name, "then") == 0 || strcmp(name, "and") == 0) ? word + 1 : word;
}

/* One job of the words, which an `and` divides. */
static pmix_status_t spawn(char** words) {
  pmix_app_t* apps = calloc(8, sizeof *apps);
  size_t count = 0;
  while (*words != NULL) {
    pmix_app_t* app = &apps[count++];
    app->info = calloc(8, sizeof *app->info);
    for (; strcmp(*words, "--") != 0; ++words) add_key(app, *words);
    if (app->ninfo == 0) app->info = NULL; /* or PMIx searches it for a mark of its end */
    app->maxprocs = atoi(*++words);
    app->cmd = *++words;
    app->argv = calloc(32, sizeof *app->argv);
    for (int i = 0; *words != NULL && strcmp(*words, "and") != 0; ++words) app->argv[i++] = unquoted(*words);
    if (*words != NULL) ++words;
  }
  pmix_nspace_t job;
  const pmix_status_t status = PMIx_Spawn(NULL, 0, apps, count, job);
  if (status == PMIX_SUCCESS) strcpy(last, job);
  return status;
}

static void need_end(void) {
  pmix_pdata_t data;
  PMIX_PDATA_CONSTRUCT(&data);
  snprintf(data.key, sizeof data.key, "bowline.end.%s", last);
  need(PMIx_Lookup(&data, 1, NULL, 0), "end");
  if (strcmp(data.value.data.string, "0 ") != 0) exit(96);
  PMIX_PDATA_DESTRUCT(&data);
}

static void several(int count, char** words, bool at_once) {
  pmix_nspace_t* names = calloc((size_t)count, sizeof *names);
  char* app[32] = {"--", "1"};
  for (int i = 0; words[i] != NULL; ++i) app[i + 2] = words[i];
  for (int i = 0; i < count; ++i) {
    need(spawn(app), "spawn");
    strcpy(names[i], last);
    if (!at_once) need_end();
  }
  for (int i = 0; at_once && i < count; ++i) {
    strcpy(last, names[i]);
    need_end();
  }
  free(names);
  say("jobs", PMIX_SUCCESS, NULL);
}

static void publish(char** words) {
  pmix_info_t info[3];
  size_t count = 1;
  pmix_data_range_t range = PMIX_RANGE_SESSION;
  pmix_persistence_t persistence = PMIX_PERSIST_SESSION;
  PMIX_INFO_LOAD(&info[0], words[0], words[1], PMIX_STRING);
  for (char** word = words + 2; *word != NULL; ++word) {
    if (strcmp(*word, "job") == 0) range = PMIX_RANGE_NAMESPACE;
    if (strcmp(*word, "process") == 0) range = PMIX_RANGE_PROC_LOCAL;
    if (strcmp(*word, "first") == 0) persistence = PMIX_PERSIST_FIRST_READ;
    if (strcmp(*word, "app") == 0) persistence = PMIX_PERSIST_APP;
    if (strcmp(*word, "proc") == 0) persistence = PMIX_PERSIST_PROC;
    count = 3;
  }
  PMIX_INFO_LOAD(&info[1], PMIX_RANGE, &range, PMIX_DATA_RANGE);
  PMIX_INFO_LOAD(&info[2], PMIX_PERSISTENCE, &persistence, PMIX_PERSIST);
  say("publish", PMIx_Publish(info, count), NULL);
}

static void look_up_published(char** words) {
  pmix_info_t info[2];
  const int all = 0, seconds = words[1] == NULL ? 0 : atoi(words[1]);
  PMIX_INFO_LOAD(&info[0], PMIX_WAIT, &all, PMIX_INT);
  PMIX_INFO_LOAD(&info[1], PMIX_TIMEOUT, &seconds, PMIX_INT);
  look_up("lookup", words[0], info, words[1] == NULL ? 0 : seconds > 0 ? 2 : 1);
}

/* 1: there is one. */
static int find_parent(pmix_proc_t* parent) {
  pmix_proc_t job;
  pmix_value_t* value = NULL;
  PMIX_LOAD_PROCID(&job, self.nspace, PMIX_RANK_WILDCARD);
  if (PMIx_Get(&job, PMIX_PARENT_ID, NULL, 0, &value) != PMIX_SUCCESS) return 0;
  *parent = *value->data.proc;
  return 1;
}

static void meet(const char* whom) {
  pmix_proc_t jobs[2], parent;
  PMIX_LOAD_PROCID(&jobs[0], self.nspace, PMIX_RANK_WILDCARD);
  if (strcmp(whom, "PARENT") == 0) {
    if (!find_parent(&parent)) exit(98);
    strcpy(last, parent.nspace);
  }
  PMIX_LOAD_PROCID(&jobs[1], last, PMIX_RANK_WILDCARD);
  need(PMIx_Connect(jobs, 2, NULL, 0), "connect");
  need(PMIx_Disconnect(jobs, 2, NULL, 0), "disconnect");
  say("meet", PMIX_SUCCESS, NULL);
}

static void carry_out(char** words) {
  const char* verb = words[0];
  if (strcmp(verb, "spawn") == 0) {
    const pmix_status_t status = spawn(words + 1);
    say("spawn", status, NULL);
    if (status != PMIX_SUCCESS) look_up("error", "bowline.spawn-error", NULL, 0);
  } else if (strcmp(verb, "end") == 0) {
    wait_for_end("end");
  } else if (strcmp(verb, "storm") == 0 || strcmp(verb, "burst") == 0) {
    several(atoi(words[1]), words + 2, verb[0] == 'b');
  } else if (strcmp(verb, "publish") == 0) {
    publish(words + 1);
  } else if (strcmp(verb, "unpublish") == 0) {
    char* keys[] = {words[1], NULL};
    say("unpublish", PMIx_Unpublish(keys, NULL, 0), NULL);
  } else if (strcmp(verb, "lookup") == 0) {
    look_up_published(words + 1);
  } else if (strcmp(verb, "parent") == 0) {
    pmix_proc_t parent;
    const int spawned = find_parent(&parent);
    printf(spawned ? "parent: rank %u\n" : "parent: none\n", spawned ? parent.rank : 0);
  } else if (strcmp(verb, "meet") == 0) {
    meet(words[1]);
  } else if (strcmp(verb, "touch") == 0) {
    fclose(fopen(words[1], "w"));
  } else if (strcmp(verb, "await") == 0) {
    while (access(words[1], F_OK) != 0) usleep(5000);
  } else if (strcmp(verb, "abort") == 0) {
    PMIx_Abort(atoi(words[1]), "enough", NULL, 0);
  } else if (strcmp(verb, "exit") == 0) {
    fflush(stdout);
    _exit(atoi(words[1]));
  } else {
    exit(97);
  }
}

int main(int argc, char** argv) {
  need(PMIx_Init(&self, NULL, 0), "init");
  for (int first = 1, next = 1; first < argc; first = next + 1) {
    for (next = first; next < argc && strcmp(argv[next], "then") != 0;) ++next;
    argv[next] = NULL;
    if (self.rank == 0 || strcmp(argv[first], "meet") == 0) carry_out(argv + first);
  }
  need(PMIx_Finalize(NULL, 0), "finalize");
  return 0;
}
