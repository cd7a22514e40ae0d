// SPDX-License-Identifier: BSD-3-Clause
// See declaration.hpp.
#include "launcher/command_line/declaration.hpp"

#include <string>
#include <utility>
#include <vector>

#include "launcher/command_line/help.hpp"
#include "launcher/usage_error.hpp"

namespace bowline::launcher {
namespace {

constexpr const char* footer =
    "Several programs run as one job: mpiexec -n 2 a : -n 1 b\n"
    "More ranks than cores, and root, need no permission. Ranks 1 and up read an empty standard input.\n"
    "Settings are variables, which bowline-info --tunables lists; -x BOWLINE_CHECK_COLLECTIVES=1, for example, makes\n"
    "ranks that call different collectives an error, and not a wait without end.\n"
    "The options of Open MPI's and MPICH's mpiexec are understood, too, as docs/launching.md lists them.\n"
    "Exit status: that of the first rank that failed, 128+N for signal N, 124 for --timeout, 2 for bad input; with\n"
    "--keep-going the highest one of the ranks that were not killed.";

void declare_ranks(CLI::App& cli, RawApp& app, RawJob& job) {
  cli.add_option("-n,--n", app.ranks, "Number of ranks (default 1, or the slots of the named hosts); -np is the same")
      ->type_name("N");
  cli.add_option("-N", job.ranks_per_node, "Number of ranks on each node, at most")->type_name("N");
  cli.add_option("--ppn", job.ranks_per_turn, "Number of ranks on each node, before the first gets more")
      ->type_name("N");
  cli.add_option("-H,--host,--hosts", job.hosts,
                 "Hosts to run on; here, through srun in a Slurm allocation, or prterun")
      ->type_name("HOST[:SLOTS][,...]");
  cli.add_option("--hostfile", job.hostfile, "The same, one host per line of a file: NAME, NAME:SLOTS or NAME slots=N")
      ->type_name("FILE");
  cli.add_option("--usize", job.universe,
                 "What MPI_UNIVERSE_SIZE tells the programs (default: the slots, or the ranks if these are more)")
      ->type_name("N");
  cli.add_option("--wdir,--wd", app.wdir, "Start the ranks in this directory")->type_name("DIR");
  cli.add_option("--path", app.path, "Look for the program here before PATH")->type_name("DIR[:DIR]");
  cli.add_option_function<std::string>(
         separator_option,
         [](const std::string&) { throw UsageError("option {} must stand before all others", separator_option); },
         "The word that separates programs, instead of \":\"; must stand first")
      ->type_name("WORD");
  cli.add_option("--configfile", job.configfile, "Read the parts of the job from the lines of a file")
      ->type_name("FILE");
}

void declare_environment(CLI::App& cli, RawApp& app, RawJob& job) {
  const auto variables = [&cli](const char* names, std::vector<std::string>& into, const char* help) {
    cli.add_option(names, into, help)
        ->type_name("VARIABLE[=VALUE]")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  };
  variables("-x,--env", app.variables.set, "Set a variable for the ranks; a name alone passes mpiexec's own value");
  variables("--genv", job.variables.set, "Set a variable for the ranks of all programs");
  for (const auto& [raw, all] : {std::pair{&app.variables, false}, std::pair{&job.variables, true}}) {
    const std::string prefix = all ? "--g" : "--";
    const std::string whose = all ? "of all programs " : "";
    cli.add_option(prefix + "envlist", raw->list,
                   "Give the ranks " + whose + "these variables only, and HOME, PATH ...")
        ->type_name("VARIABLE[,...]");
    cli.add_flag(prefix + "envnone", raw->none,
                 "Give the ranks " + whose + "none of mpiexec's variables but HOME, PATH ...");
    cli.add_flag(prefix + "envall", raw->all, "Give the ranks " + whose + "all of mpiexec's variables (default)");
  }
}

void declare_placement(CLI::App& cli, RawJob& job) {
  const std::string objects = "hwthread|core|l1cache|l2cache|l3cache|l4cache|l5cache|numa|socket|node";
  cli.add_option("--bind-to", job.bind_to, "What each rank may run on; core:2 is two cores; user:0+2,1+3 lists CPUs")
      ->type_name("none|" + objects)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  cli.add_option("--map-by", job.map_by,
                 "How ranks are dealt out: slot after slot, or in turn to one of the other objects; ppr:2:socket "
                 "puts two on each; core:PE=4 gives each four")
      ->type_name("slot|" + objects + "[:HOW]")
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->allow_extra_args(false);
  cli.add_option("--rank-by", job.rank_by,
                 "How the places are numbered: slot, as dealt out, or by one of the other objects")
      ->type_name("slot|" + objects);
  cli.add_option("--cpu-set", job.cpu_set, "Use only these CPUs")->type_name("N[-N][,...]");
  cli.add_flag("--report-bindings", job.report_bindings, "Print each rank's cores at start");
  cli.add_flag("--display-map", job.display_map, "Print where each rank goes, before the first one starts");
  cli.add_flag("--display-allocation", job.display_allocation, "Print what the machine has for the job");
  cli.add_option("--display", job.display, "Print these before the first rank starts")
      ->type_name("map|allocation|bindings[,...]");
}

void declare_output(CLI::App& cli, RawJob& job) {
  cli.add_flag("--tag-output", job.tag_output, "Begin each line of output with its rank and stream");
  cli.add_flag("--prepend-rank", job.prepend_rank, "Begin each line of output with its rank; -l is the same");
  cli.add_option("--prepend-pattern", job.prepend_pattern, "Begin each line with this: %r rank, %h host, %t seconds")
      ->type_name("TEXT");
  cli.add_flag("--timestamp-output", job.timestamp, "Begin each line of output with the time");
  cli.add_option("--output-dir", job.output_dir, "Write output to DIR/rank.R.out and DIR/rank.R.err instead")
      ->type_name("DIR");
  cli.add_option("--output-filename", job.output_filename,
                 "Write output to DIR/1/rank.R/stdout and .../stderr, too; :nocopy instead, :nojobid without the 1")
      ->type_name("DIR[:HOW]");
  cli.add_option("--outfile-pattern", job.out_pattern, "Write standard output to this file: %r rank, %h host")
      ->type_name("FILE");
  cli.add_option("--errfile-pattern", job.err_pattern, "Write standard error to this file")->type_name("FILE");
  cli.add_option("--output", job.output, "Several of the options above in one word")
      ->type_name("tag|rank|timestamp|merge|dir=DIR|file=FILE[,...]");
  cli.add_flag("--merge-stderr-to-stdout", job.merge_stderr, "Send what ranks write to standard error to the output");
  cli.add_option("--stream-buffering", job.buffering,
                 "When a rank's lines arrive: each as it is written (line, the default; standard output is a "
                 "pseudo-terminal), or when the rank's buffers are full (a pipe)")
      ->type_name("line|full");
  cli.add_option("--stdin", job.stdin_who, "The rank that reads standard input (default 0)")
      ->type_name("RANK|all|none");
}

void declare_recovery(CLI::App& cli, RawJob& job) {
  cli.add_flag("--keep-going", job.keep_going,
               "Go on when a rank ends by a signal or without MPI_Finalize; the others get errors from MPI");
  cli.add_option("--chaos", job.chaos,
                 "Kill, stop and delay ranks at random, the same for the same seed: rate=R a second, kinds=kill,link "
                 "(breaks TCP connections), most=N ranks killed, after=S seconds, from=start")
      ->type_name("SEED[,KEY=VALUE]");
}

void declare_report(CLI::App& cli, RawJob& job) {
  cli.add_option("--report", job.report,
                 "At the end of the job, write where its time went: a page (FILE.html), a document for bowline-report "
                 "(FILE.json), or text (-)")
      ->type_name("FILE");
  cli.add_option("--record", job.record,
                 "At the end of the job, however it ends, write what its ranks did last: a timeline as a page "
                 "(FILE.html) or picture (FILE.svg), a trace for Perfetto (FILE.json), or text (-)")
      ->type_name("FILE");
}

}  // namespace

void declare(CLI::App& cli, RawApp& app, RawJob& job) {
  cli.prefix_command();
  cli.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  declare_help(cli);
  cli.footer(footer);
  declare_ranks(cli, app, job);
  declare_environment(cli, app, job);
  declare_placement(cli, job);
  declare_output(cli, job);
  declare_recovery(cli, job);
  declare_report(cli, job);
  cli.add_flag("--gdb", job.gdb,
               "Run all ranks under gdb, or with --gdb=0,3-5 these: in tmux; one alone also in this terminal");
  cli.add_option("--timeout", job.timeout, "End the job after this many seconds, with status 124 (or MPIEXEC_TIMEOUT)")
      ->type_name("S");
  cli.add_option("--grace", job.grace, "Seconds from a forwarded INT, TERM or HUP to KILL (default 5)")->type_name("S");
  cli.add_option("--end-with-descriptor", job.end_descriptor,
                 "End the job, silently, when this inherited descriptor is at its end of file")
      ->type_name("FD");
  cli.add_option("--initial-errhandler", job.errhandler, "What errors do at first (default: mpi_errors_are_fatal)")
      ->type_name("mpi_errors_are_fatal|mpi_errors_abort|mpi_errors_return");
  cli.add_option("--memory-alloc-kinds", job.memory,
                 "Kinds of memory that the programs want to use; MPI tells them that there are these two")
      ->type_name("mpi|system[,...]");
  cli.add_flag("--explain", job.explain,
               "Print what would be done: programs, ABI, cores, messages, networks, variables; start nothing");
  cli.add_flag("-v,--verbose", job.verbose, "Say what is done");
  cli.add_flag("-q,--quiet", job.quiet, "Do not warn of options that have no effect");
  cli.add_flag("-V,--version", job.version, "Print the version");
}

}  // namespace bowline::launcher
