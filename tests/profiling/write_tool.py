# SPDX-License-Identifier: BSD-3-Clause
"""Writes a tool in C that counts the calls of every function of an mpi.h, and how many came from within another call.

It calls PMPI_X, or, if it is one of a chain, the next definition of MPI_X. At the end of a process that has called MPI
it writes the counts into a new file in the folder that the variable COUNTS names.
"""
import re

OPENING = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static struct { const char* name; unsigned calls, within; } rows[];
static __thread int depth;

static void enter(int row) {
  __atomic_add_fetch(&rows[row].calls, 1, __ATOMIC_RELAXED);
  if (depth++ > 0) __atomic_add_fetch(&rows[row].within, 1, __ATOMIC_RELAXED);
}

static void leave(void) {
  --depth;
}

__attribute__((unused)) static void* next(const char* name) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == NULL) fprintf(stderr, "tool: there is no other %s\\n", name), abort();
  return found;
}
"""

WRAPPER = """
{returns} (MPI{name})({parameters}) {{
  enter({row});
  {returns} returned = {callee}({arguments});
  leave();
  return returned;
}}
"""

CLOSING = """
__attribute__((destructor)) static void report(void) {{
  const char* folder = getenv("COUNTS");
  char path[4096];
  FILE* file = NULL;
  for (int i = 0; i < {rows}; ++i) {{
    if (rows[i].calls == 0) continue;
    snprintf(path, sizeof path, "%s/{tool}.%d", folder == NULL ? "." : folder, (int)getpid());
    if (file == NULL) file = fopen(path, "w");
    if (file == NULL) return perror(path);
    fprintf(file, "%s %u %u\\n", rows[i].name, rows[i].calls, rows[i].within);
  }}
  if (file != NULL) fclose(file);
}}
"""

ATTRIBUTE = re.compile(r'__attribute__\s*\(\((?:"[^"]*"|[^()"]|\((?:"[^"]*"|[^()"])*\))*\)\)')
PROTOTYPE = re.compile(r"(?!static|return)(?:extern )?([\w *]+?) ?\b(P?)MPI(X?_\w+) ?\(([^()]*)\)")


def prototypes(header):
    """(type of the result, name behind MPI, parameters) of each function with both names, in preprocessed C."""
    found = {"": {}, "P": {}}  # some headers leave the names of parameters out in prototypes of PMPI
    for statement in re.split("[;{}]", ATTRIBUTE.sub("", header)):
        match = PROTOTYPE.fullmatch(" ".join(statement.split()))
        if match is not None:
            found[match[2]][match[3]] = (match[1], match[3], match[4])
    return [prototype for name, prototype in found[""].items() if name in found["P"]]


def argument(parameter):
    return re.search(r"(\w+)(?:\[\d*\])*$", parameter)[1]


def wrapper(row, prototype, chained):
    returns, name, parameters = prototype
    declared = [p.strip() for p in parameters.split(",")]
    given = [argument(p) for p in declared if p not in ("void", "...")]
    if chained:
        callee = f'(({returns} (*)({parameters}))next("MPI{name}"))'
    else:
        callee = f"PMPI{name}"
    return WRAPPER.format(returns=returns, name=name, parameters=parameters, row=row, callee=callee,
                          arguments=", ".join(given))


def text(header, tool, chained):
    """The source: `header` is the preprocessed mpi.h, `tool` the name of the tool."""
    found = prototypes(header)
    wrappers = [wrapper(row, p, chained) for row, p in enumerate(found)]
    names = "".join(f'  {{"MPI{name}", 0, 0}},\n' for _, name, _ in found)
    opening = OPENING.replace("rows[];", f"rows[{len(found)}] = {{\n{names}}};")
    return "".join([opening, *wrappers, CLOSING.format(rows=len(found), tool=tool)])
