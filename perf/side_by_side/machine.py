# SPDX-License-Identifier: BSD-3-Clause
"""What this machine is, as far as it can be seen without being root: what figures depend on, but not its name."""

import os
import pathlib
import platform
import re
import subprocess
import time

SYS_CPU = pathlib.Path("/sys/devices/system/cpu")
CONTAINER_MARKS = ("/.dockerenv", "/run/.containerenv", "/singularity", "/.singularity.d")


def read(path):
    """The text of a small file without its last newline, or nothing where there is none to be read."""
    try:
        return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""


def cpuinfo(field):
    """The first value of this field of /proc/cpuinfo, or nothing."""
    found = re.search(rf"(?m)^{field}\s*:\s*(.*)$", read("/proc/cpuinfo"))
    return found[1].strip() if found else ""


def processor():
    """Its name."""
    return cpuinfo("model name") or platform.machine() or "unknown processor"


def range_size(text):
    """How many numbers a list such as 0-3,8 names."""
    bounds = [part.split("-") for part in text.split(",") if part]
    return sum(int(each[-1]) - int(each[0]) + 1 for each in bounds)


def cores():
    """How many this process may use, of how many, and how they are put together."""
    text = f"{len(os.sched_getaffinity(0))} usable of {os.cpu_count()}"
    sockets = {read(path) for path in SYS_CPU.glob("cpu[0-9]*/topology/physical_package_id")} - {""}
    siblings = read(SYS_CPU / "cpu0/topology/thread_siblings_list")
    if sockets:
        text += f", {len(sockets)} socket{'s' * (len(sockets) > 1)}"
    if siblings:
        text += f", {range_size(siblings)} thread{'s' * (range_size(siblings) > 1)} per core"
    return text


def caches():
    """The caches of the first core: L1 data 32K, L2 1M ..."""
    found = []
    for index in sorted((SYS_CPU / "cpu0/cache").glob("index*")):
        kind, level, size = (read(index / name) for name in ("type", "level", "size"))
        if kind != "Instruction" and size:
            found.append(f"L{level} {size}" + (f" for {sharing} CPUs" if (sharing := range_size(
                read(index / "shared_cpu_list") or "0")) > 1 else ""))
    return ", ".join(found)


def memory():
    """All of it, and the NUMA nodes if there are several."""
    kib = re.search(r"MemTotal:\s+(\d+)", read("/proc/meminfo"))
    nodes = len(list(pathlib.Path("/sys/devices/system/node").glob("node[0-9]*")))
    size = f"{int(kib[1]) / (1 << 20):.1f} GiB" if kib else "unknown"
    return size + (f" in {nodes} NUMA nodes" if nodes > 1 else "")


def governor():
    """How the clock speed is chosen."""
    names = {read(path) for path in SYS_CPU.glob("cpu[0-9]*/cpufreq/scaling_governor")} - {""}
    return " and ".join(sorted(names)) or "not visible"


def virtualization():
    """Whether this is a virtual machine or a container, and whose, as far as that can be seen."""
    vendor = " ".join(filter(None, (read("/sys/class/dmi/id/sys_vendor"), read("/sys/class/dmi/id/product_name"))))
    words = []
    if "hypervisor" in cpuinfo("flags").split():
        words.append("virtual machine" + (f" ({vendor})" if vendor else ""))
    elif vendor:
        words.append(vendor)
    if any(os.path.exists(mark) for mark in CONTAINER_MARKS):
        words.append("container")
    return ", ".join(words) or "none visible"


def facts():
    """All of it as {what: text}, in the order in which it is told."""
    release = re.search(r'(?m)^PRETTY_NAME="?([^"\n]*)', read("/etc/os-release"))
    found = {"processor": processor(), "cores": cores(), "caches": caches(), "memory": memory(),
             "kernel": f"Linux {os.uname().release.split('-')[0]}", "system": release[1] if release else "",
             "clock governor": governor(), "virtualization": virtualization(),
             "huge pages": read("/sys/kernel/mm/transparent_hugepage/enabled")}
    return {what: text for what, text in found.items() if text}


def phrase():
    """Processor, cores this process may use, and kernel, in one phrase."""
    return f"{processor()}, {len(os.sched_getaffinity(0))} cores, Linux {os.uname().release.split('-')[0]}"


def busy_cores():
    """How many cores other programs keep busy, from half a second of looking at /proc/stat."""
    def ticks():
        with open("/proc/stat", encoding="utf-8") as lines:
            fields = [int(field) for field in lines.readline().split()[1:9]]
        return sum(fields) - fields[3] - fields[4]  # all but idle and waiting for disks
    before, begin = ticks(), time.monotonic()
    time.sleep(0.5)
    return (ticks() - before) / os.sysconf("SC_CLK_TCK") / (time.monotonic() - begin)


def compiler_version(command):
    """The first line that a compiler or its wrapper says of itself, or nothing."""
    try:
        answer = subprocess.run([*command, "--version"], capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return answer.stdout.splitlines()[0].strip() if answer.returncode == 0 and answer.stdout.strip() else ""
