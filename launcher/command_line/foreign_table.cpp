// SPDX-License-Identifier: BSD-3-Clause
// The options of Open MPI 4 and 5 (orterun, prterun), MPICH's Hydra and Intel MPI that mpiexec does not have under the
// same name. docs/launching.md lists them for users.
#include "launcher/command_line/foreign.hpp"

namespace bowline::launcher {
namespace {

constexpr ForeignOption table[] = {
    // Number and placement of ranks.
    {"c np", 1, Effect::becomes, "-n $1"},
    {"npernode", 1, Effect::becomes, "-N $1"},
    {"pernode", 0, Effect::becomes, "-N 1"},
    {"perhost grr", 1, Effect::becomes, "--ppn $1"},
    {"rr", 0, Effect::becomes, "--ppn 1"},
    {"npersocket", 1, Effect::becomes, "--map-by ppr:$1:socket"},
    {"ppr", 1, Effect::becomes, "--map-by ppr:$1"},
    {"machinefile machine machines machinelist default-hostfile f", 1, Effect::becomes, "--hostfile $1"},
    {"hostlist", 1, Effect::becomes, "--host $1"},
    {"bind-to-core", 0, Effect::becomes, "--bind-to core"},
    {"bind-to-socket", 0, Effect::becomes, "--bind-to socket"},
    {"bind-to-none", 0, Effect::becomes, "--bind-to none"},
    {"binding", 1, Effect::becomes, "--bind-to $1"},
    {"bycore", 0, Effect::becomes, "--map-by core"},
    {"byslot", 0, Effect::becomes, "--map-by slot"},
    {"bysocket", 0, Effect::becomes, "--map-by socket"},
    {"bynode", 0, Effect::becomes, "--map-by node"},
    {"cpus-per-proc cpus-per-rank", 1, Effect::becomes, "--map-by :pe=$1"},
    {"cpu-list", 1, Effect::becomes, "--cpu-set $1"},
    {"use-hwthread-cpus", 0, Effect::becomes, "--map-by :hwtcpus"},
    {"nooversubscribe", 0, Effect::becomes, "--map-by :nooversubscribe"},
    {"nolocal skip-launch-node", 0, Effect::becomes, "--map-by :nolocal"},
    {"oversubscribe", 0, Effect::always, ""},
    {"order-nodes", 1, Effect::none, "nodes are taken in the order in which they are named"},
    {"rf rankfile", 1, Effect::none, "--bind-to user:LIST says which CPUs each rank gets"},
    {"cf cartofile", 1, Effect::none, "hwloc finds the machine's topology"},
    {"topolib", 1, Effect::none, "hwloc finds the machine's topology"},
    {"membind", 1, Effect::none, "memory comes from the NUMA node of the CPUs to which --bind-to binds"},
    {"gpus-per-proc gpu-support", 1, Effect::none, "CUDA_VISIBLE_DEVICES and its kin, set with -x, choose devices"},

    // The environment of ranks.
    {"genv", 2, Effect::pair, "--genv $1=$2"},
    {"-env", 2, Effect::pair, "-x $1=$2"},  // with two dashes this is mpiexec's own option, with one value
    {"pmixmca gpmixmca", 2, Effect::becomes, "--genv PMIX_MCA_$1=$2"},
    {"mca gmca omca gomca", 2, Effect::none, ""},  // depends on the parameter: `parameters` in foreign.cpp
    {"prtemca gprtemca", 2, Effect::none, "mpiexec is no PRRTE and has options for what it can do (mpiexec --help)"},
    {"am amca", 1, Effect::parameters, "-x sets variables, and bowline-info --tunables lists the settings"},
    {"tune", 1, Effect::none, "-x sets variables, and bowline-info --tunables lists the settings"},
    {"iface", 1, Effect::none, "-x UCX_NET_DEVICES=NAME chooses the network between nodes"},
    {"nameserver ompi-server", 1, Effect::none, "published names are for the jobs of one mpiexec"},
    {"tmpdir", 1, Effect::none, "TMPDIR says where mpiexec keeps its files"},
    {"umask", 1, Effect::none, "ranks have the umask of mpiexec"},

    // Output.
    {"l", 0, Effect::becomes, "--prepend-rank"},
    {"outfile", 1, Effect::becomes, "--outfile-pattern $1"},
    {"errfile", 1, Effect::becomes, "--errfile-pattern $1"},
    {"output-directory", 1, Effect::becomes, "--output-filename $1"},
    {"print-rank-map display-devel-map display-diffable-map display-topo", 0, Effect::becomes, "--display-map"},
    {"display-devel-allocation", 0, Effect::becomes, "--display-allocation"},
    {"info build-info build_info", 0, Effect::becomes, "--version"},
    {"ordered-output silent-abort", 0, Effect::always, ""},
    {"output-from", 1, Effect::none, "--output-dir writes what each rank prints to a file of its own"},
    {"print-all-exitcodes", 0, Effect::none, "mpiexec names the first rank that fails, and its status"},
    {"xml output-proctable show-progress report-child-jobs-separately", 0, Effect::none, "-v says what mpiexec does"},
    {"xml-file report-pid report-uri report-events", 1, Effect::none, "-v says what mpiexec does"},
    {"profile trace check_mpi display-comm display-comm-finalize", 0, Effect::none,
     "tools that are linked or preloaded by -x LD_PRELOAD=LIBRARY see the calls of MPI"},
    {"xterm", 1, Effect::none, "--output-dir writes what each rank prints to a file of its own"},
    {"memprofile", 1, Effect::none, "bowline-info lists what can be measured"},

    // Start and end of ranks.
    {"app appfile", 1, Effect::becomes, "--configfile $1"},
    {"allow-run-as-root noprefix disable-recovery enable-auto-cleanup cleanup noconf leave-session-attached novm", 0,
     Effect::always, ""},
    {"enable-hostname-propagation disable-hostname-propagation do-not-resolve use-regexp pmi-port set-sid", 0,
     Effect::always, ""},
    {"personality demux", 1, Effect::always, ""},
    {"s preload-binary", 0, Effect::none, "programs are not copied: all nodes have to find them under the same path"},
    {"preload-files preload-files-dest-dir", 1, Effect::none,
     "files are not copied: all nodes have to find them under the same path"},
    {"launcher bootstrap rmk launch-agent launcher-exec bootstrap-exec exec-agent prefix localhost branch-count", 1,
     Effect::none, "mpiexec starts ranks on this machine by itself, and on several nodes through srun or prterun"},
    {"enable-x disable-x fwd-mpirun-port enable-instant-on-support", 0, Effect::none,
     "mpiexec starts ranks on this machine by itself, and on several nodes through srun or prterun"},
    {"dvm no-ready-msg", 0, Effect::none, "there are no daemons: ranks start at once"},
    {"hnp dvm-uri namespace max-vm-size", 1, Effect::none, "there are no daemons: ranks start at once"},
    {"disable-auto-cleanup dac enable-recovery continuous", 0, Effect::becomes, "--keep-going"},
    {"with-ft", 1, Effect::becomes, "--keep-going=$1"},
    {"max-restarts", 1, Effect::none, "a rank that is lost is not started again; --keep-going goes on without it"},
    {"ckpoint-interval ckpoint-prefix ckpoint-num ckpointlib", 1, Effect::none, "there are no checkpoints"},
    {"index-argv-by-rank", 0, Effect::none, "PMIX_RANK in its environment tells a process its rank"},
    {"set-cwd-to-session-dir", 0, Effect::none, "--wdir sets the directory"},
    {"runtime-options forward-signals pset use-app-topology", 1, Effect::none, "mpiexec --help lists what there is"},

    // Debugging.
    {"debug d debug-devel debug-daemons debug-daemons-file", 0, Effect::none, "-v says what mpiexec does"},
    {"tv", 0, Effect::none, "let the debugger start mpiexec, or attach it to mpiexec; mpiexec --gdb is for gdb"},
    {"debugger", 1, Effect::none, "let the debugger start mpiexec, or attach it to mpiexec; mpiexec --gdb is for gdb"},
    {"gtool gtoolfile", 1, Effect::none,
     "mpiexec -n N gdb -batch -ex run --args PROGRAM runs each rank under a debugger"},
    {"get-stack-traces report-state-on-timeout", 0, Effect::none, "--timeout says what each rank waits for"},
};

}  // namespace

std::span<const ForeignOption> foreign_options() {
  return table;
}

}  // namespace bowline::launcher
