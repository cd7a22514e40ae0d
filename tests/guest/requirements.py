# SPDX-License-Identifier: BSD-3-Clause
"""What a guest needs of this machine."""
import os
import pathlib
import shutil

PACKAGES = {"cpio": "cpio", "modprobe": "kmod"}
DEVICE_PACKAGES = {"rdma": "iproute2", "ibv_devinfo": "ibverbs-utils"}
SLURM_PACKAGES = {"slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client", "munged": "munge"}
PROVIDERS = pathlib.Path("/etc/libibverbs.d")
CANNOT = 77


class Unusable(Exception):
    """The guest cannot be used on this machine; the text says why and what to do."""


def path():
    return f"{os.environ.get('PATH', '/usr/bin:/bin')}:/usr/sbin:/sbin"


def check(architecture, device, slurm):
    """The device: rxe, siw or None."""
    packages = PACKAGES | {architecture.emulator: architecture.emulator_package}
    if architecture.busybox is None:
        packages["busybox"] = "busybox-static"
    packages |= (DEVICE_PACKAGES if device else {}) | (SLURM_PACKAGES if slurm else {})
    missing = {package for program, package in packages.items() if shutil.which(program, path=path()) is None}
    if device and not (PROVIDERS / f"{device}.driver").exists():
        missing.add("ibverbs-providers")
    if missing:
        raise Unusable(f"these Debian packages are missing: {' '.join(sorted(missing))}; "
                       f"scripts/setup {architecture.setup} installs them"
                       f"{' (those of Slurm: scripts/setup cluster)' if slurm else ''}")
    kernels = architecture.kernel_root
    if not list(kernels.glob("boot/vmlinuz-*")):
        raise Unusable(f"there is no kernel in {kernels}; scripts/setup {architecture.setup} gets one")
    if device == "siw" and not list(kernels.glob("lib/modules/*/kernel/drivers/infiniband/sw/siw/siw.ko")):
        raise Unusable(f"the kernel in {kernels} has no module siw; scripts/setup guest builds it")


def kernel(architecture):
    """The kernel's file, and its release."""
    newest = max(architecture.kernel_root.glob("boot/vmlinuz-*"))
    return newest, newest.name.removeprefix("vmlinuz-")
