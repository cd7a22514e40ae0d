# SPDX-License-Identifier: BSD-3-Clause
"""An emulated machine: its first file system, and its run."""
import gzip
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from requirements import kernel, path

HERE = pathlib.Path(__file__).resolve().parent
MODULES = ("virtio_pci", "virtio_net", "9pnet_virtio", "9p", "overlay", "veth", "bridge", "sch_netem", "sch_tbf")
# Of verbs devices, by their kind. Without a CRC-32 algorithm rdma_rxe makes no device, nor does siw without CRC-32C.
DEVICE_MODULES = {"rxe": ("crc32_generic", "crc32_pclmul", "ib_uverbs", "rdma_ucm", "rdma_rxe", "dummy"),
                  "siw": ("crc32c_generic", "ib_uverbs", "rdma_ucm", "siw", "dummy")}
COMMANDS = ("sh", "mount", "mkdir", "modprobe", "ip", "ln", "cp", "hostname", "switch_root")  # of busybox, for init
VARIABLES = ("BOWLINE_", "UCX_", "FABRIC_", "GTEST_", "PATH", "LD_LIBRARY_PATH")  # that the command keeps
ADDRESSES = ("10.77.0.11", "10.77.0.12")  # those of slurm/testbed's first nodes
LAST_LINE = re.compile(r"guest: exit status (\d+)\s*")
TOO_LONG = 124
TOO_LONG_STATUSES = (TOO_LONG, 128 + 9)  # of timeout: the machine obeyed its signal, or had to be killed


def copy(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, target)


def module_files(modules, root, release):
    """The modules below the root and what they need, as paths."""
    files = set()
    for module in modules:
        said = subprocess.run(["modprobe", "-d", root, "-S", release, "--show-depends", module], check=True,
                              capture_output=True, text=True, env=os.environ | {"PATH": path()}).stdout
        files.update(pathlib.Path(line.split()[1]) for line in said.splitlines() if line.startswith("insmod"))
    return files


def make_initramfs(directory, command, architecture, device):
    """The guests' first file system: a shell, the modules, and what to do. The device: rxe, siw or None."""
    root = directory / "root"
    copy(architecture.busybox or shutil.which("busybox"), root / "bin" / "busybox")
    for name in COMMANDS:
        (root / "bin" / name).symlink_to("busybox")
    for name in ("proc", "sys", "dev"):
        (root / name).mkdir()
    modules = MODULES + DEVICE_MODULES.get(device, ())
    _, release = kernel(architecture)
    for file in module_files(modules, architecture.kernel_root, release):
        copy(file, root / file.relative_to(architecture.kernel_root))
    subprocess.run(["depmod", "-b", root, release], check=True, capture_output=True, env=os.environ | {"PATH": path()})
    for name in ("init", "main", *(["rdma_device"] if device else [])):
        copy(HERE / name, root / name)
    (root / "modules").write_text("\n".join(modules) + "\n", encoding="utf-8")
    variables = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in os.environ.items()
                        if name.startswith(VARIABLES))
    (root / "command").write_text(f"{variables}cd {shlex.quote(os.getcwd())}\nexec {shlex.join(command)}\n",
                                  encoding="utf-8")
    names = "\n".join(str(file.relative_to(root)) for file in [root, *root.rglob("*")])
    packed = subprocess.run(["cpio", "-o", "-H", "newc"], input=names.encode(), cwd=root, check=True,
                            capture_output=True).stdout
    initramfs = directory / "initramfs.gz"
    initramfs.write_bytes(gzip.compress(packed, 1))
    return initramfs


def shared_folder(folder, tag):
    """The emulator's words for a folder of this machine that guests can mount by the tag."""
    return ["-virtfs", f"local,path={folder},mount_tag={tag},security_model=none,readonly=on,multidevs=remap"]


class Machine:
    """One guest. `status` is that of the command when run has returned."""

    def __init__(self, number, arguments, initramfs, cable):
        """The cable is one end of a stream socket whose other end another machine has, or None."""
        self.status = 1
        self._prefix = "" if cable is None else f"{number}: "
        self._timeout = arguments.timeout
        self._console = initramfs.with_name(f"console{number}")
        network = ["-nic", "none"]
        if cable is not None:
            network = ["-netdev", f"socket,id=cable,fd={cable.fileno()}", "-device",
                       f"virtio-net-pci,netdev=cable,mac=52:54:00:00:00:0{number + 1},host_mtu=9000,romfile="]
        architecture = arguments.architecture
        words = [architecture.emulator, *architecture.machine, "-accel", "tcg,thread=multi", "-cpu", architecture.cpu,
                 "-smp", str(arguments.cpus), "-m", arguments.memory, "-display", "none", "-no-reboot", *network,
                 "-kernel", str(kernel(architecture)[0]), "-initrd", str(initramfs),
                 # The kernel's check of its timer fails when the emulator gets no processor meanwhile.
                 "-append", f"console={architecture.console} panic=-1 no_timer_check mitigations=off net.ifnames=0 "
                 f"GUEST_OUTPUT=/dev/{architecture.output} GUEST_MACHINE={number} GUEST_DEVICE={arguments.device} "
                 f"GUEST_ADDRESSES={','.join(ADDRESSES[:arguments.machines])}",
                 "-serial", f"file:{self._console}", *architecture.output_words, *shared_folder("/", "host")]
        if architecture.root is not None:
            words += shared_folder(architecture.root, "root")
        # It ends with this process, however that ends.
        limit = ["setpriv", "--pdeathsig", "TERM", "timeout", "-k", "5", str(arguments.timeout)]
        self._process = subprocess.Popen([*limit, *words],
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                         text=True, errors="replace",
                                         pass_fds=[] if cable is None else [cable.fileno()])
        if cable is not None:
            cable.close()
        self._ended = False

    def run(self):
        """Prints what the command says, until the machine is off."""
        status = None
        for line in self._process.stdout:
            if found := LAST_LINE.fullmatch(line):
                status = int(found.group(1))
            elif not self._ended:
                print(self._prefix + line.rstrip("\r\n"), flush=True)
        returned = self._process.wait()
        if status is not None:
            self.status = status
        elif self._ended:
            self.status = 0
        else:
            self._complain(returned)

    def end(self):
        """Switches it off, if it is on; its status is 0 then."""
        self._ended = True
        self._process.terminate()

    def _complain(self, returned):
        why = "the machine ended before the command did"
        if returned in TOO_LONG_STATUSES:
            why = f"the command had not ended after {self._timeout} s"
        said = self._console.read_text(encoding="utf-8", errors="replace") if self._console.exists() else ""
        print(f"guest: {self._prefix}{why}; the kernel's last words: {said[-1000:]}", file=sys.stderr)
        self.status = TOO_LONG if returned in TOO_LONG_STATUSES else 1
