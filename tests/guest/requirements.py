# SPDX-License-Identifier: BSD-3-Clause
"""What a guest needs of this machine."""
import os
import pathlib
import shutil

KERNEL = pathlib.Path("/var/tmp/bowline-guest/kernel")  # where scripts/setup guest has unpacked it
EMULATOR = "qemu-system-x86_64"
PACKAGES = {EMULATOR: "qemu-system-x86", "busybox": "busybox-static", "cpio": "cpio", "modprobe": "kmod"}
DEVICE_PACKAGES = {"rdma": "iproute2", "ibv_devinfo": "ibverbs-utils"}
SLURM_PACKAGES = {"slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client", "munged": "munge"}
PROVIDERS = pathlib.Path("/etc/libibverbs.d")
CANNOT = 77


class Unusable(Exception):
    """The guest cannot be used on this machine; the text says why and what to do."""


def path():
    return f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"


def check(device, slurm):
    """The device: rxe, siw or None."""
    packages = PACKAGES | (DEVICE_PACKAGES if device else {}) | (SLURM_PACKAGES if slurm else {})
    missing = {package for program, package in packages.items() if shutil.which(program, path=path()) is None}
    if device and not (PROVIDERS / f"{device}.driver").exists():
        missing.add("ibverbs-providers")
    if missing:
        raise Unusable(f"these Debian packages are missing: {' '.join(sorted(missing))}; scripts/setup guest "
                       f"installs them{' (those of Slurm: scripts/setup cluster)' if slurm else ''}")
    if not list(KERNEL.glob("boot/vmlinuz-*")):
        raise Unusable(f"there is no kernel in {KERNEL}; scripts/setup guest gets one")
    if device == "siw" and not list(KERNEL.glob("lib/modules/*/kernel/drivers/infiniband/sw/siw/siw.ko")):
        raise Unusable(f"the kernel in {KERNEL} has no module siw; scripts/setup guest builds it")


def kernel():
    """The kernel's file, and its release."""
    newest = max(KERNEL.glob("boot/vmlinuz-*"))
    return newest, newest.name.removeprefix("vmlinuz-")
