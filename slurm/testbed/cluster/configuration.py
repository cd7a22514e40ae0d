# SPDX-License-Identifier: BSD-3-Clause
"""The files that tell Slurm and the nodes about a rig: its shape, and where things are."""
import dataclasses
import os
import string

from .rig import HERE, PATIENCE, RigError

MOST_NODES = 64
NETWORK = "10.77.0"  # the same in every rig: their networks do not meet


@dataclasses.dataclass(frozen=True)
class Shape:
    nodes: int
    cpus: int         # that each node pretends to have
    switches: int     # the nodes hang on them in blocks; with several, an upper one joins them
    rate: str         # of each link, as tc writes it; empty: unlimited
    shared: tuple     # directories below /tmp that the nodes see too; all others are theirs anyway
    slurm_conf: tuple  # lines that follow ours
    mpi_conf: tuple

    def check(self):
        for what, value, most in (("nodes", self.nodes, MOST_NODES), ("CPUs of a node", self.cpus, 1024),
                                  ("switches", self.switches, self.nodes)):
            if not 1 <= value <= most:
                raise RigError(f"the number of {what} is {value}, but must be 1 to {most}")
        for directory in self.shared:
            if not directory.startswith("/tmp/") or not os.path.isdir(directory):
                raise RigError(f"--share {directory}: must be a directory below /tmp; "
                               "whatever lies elsewhere is shared anyway")

    def names(self):
        return [f"n{number}" for number in range(1, self.nodes + 1)]

    def switch_of(self, number):
        """The switch, from 1, of the node `number`, from 1."""
        return (number - 1) * self.switches // self.nodes + 1


def write(rig, shape):
    """Writes all files into the rig's directory, which must be empty."""
    for folder in ("etc", "run", "log", "state"):
        (rig.directory / folder).mkdir(mode=0o755)
    etc = rig.directory / "etc"
    numbered = list(enumerate(shape.names(), 1))
    addresses = {name: f"{NETWORK}.{10 + number}" for number, name in numbered}

    def put(name, lines):
        (etc / name).write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    put("nodes", shape.names())
    put("hosts", ["127.0.0.1 localhost", f"{NETWORK}.1 login",
                  *(f"{address} {name}" for name, address in addresses.items())])
    # One line each, as inside/login reads it: name, address, switch.
    put("links", [f"{name} {addresses[name]} s{shape.switch_of(number)}" for number, name in numbered])
    # The nodes run scripts of the testbed itself, which may lie below /tmp too.
    put("shared", [*shape.shared, *([str(HERE)] if str(HERE).startswith("/tmp/") else [])])
    put("rate", [shape.rate] if shape.rate else [])
    # slurmd always loads a plugin for control groups, and its search for the right one needs systemd.
    put("cgroup.conf", ["CgroupPlugin=cgroup/v1"])
    put("mpi.conf", shape.mpi_conf)
    if shape.switches > 1:
        put("topology.conf", topology(shape))
    template = string.Template((HERE / "slurm.conf.in").read_text(encoding="utf-8"))
    common = template.substitute(rig=rig.directory, network=NETWORK,
                                 topology="topology/tree" if shape.switches > 1 else "topology/none",
                                 slurmd_timeout=PATIENCE // 2, message_timeout=PATIENCE // 4,
                                 inactive_limit=3 * PATIENCE)
    put("slurm.conf", [common, *node_lines(shape, addresses), *shape.slurm_conf])
    make_key(etc / "munge.key")


def node_lines(shape, addresses):
    for name, address in addresses.items():
        yield (f"NodeName={name} NodeHostname={name} NodeAddr={address} CPUs={shape.cpus} Sockets=1 "
               f"CoresPerSocket={shape.cpus} ThreadsPerCore=1 RealMemory=4000 State=UNKNOWN")
    yield f"PartitionName=all Nodes={','.join(addresses)} Default=YES MaxTime=INFINITE State=UP"


def topology(shape):
    for switch in range(1, shape.switches + 1):
        members = [name for number, name in enumerate(shape.names(), 1) if shape.switch_of(number) == switch]
        yield f"SwitchName=s{switch} Nodes={','.join(members)}"
    yield f"SwitchName=s0 Switches=s[1-{shape.switches}]"


def make_key(path):
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with open(descriptor, "wb") as file:
        file.write(os.urandom(128))
