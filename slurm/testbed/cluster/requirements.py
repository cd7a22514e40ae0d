# SPDX-License-Identifier: BSD-3-Clause
"""Whether this machine has the packages, and this user the rights, that the testbed needs."""
import os
import shutil
import subprocess

# A program of each Debian package.
PACKAGES = {
    "slurmctld": "slurmctld", "slurmd": "slurmd", "srun": "slurm-client", "munged": "munge", "ip": "iproute2",
    "tc": "iproute2", "unshare": "util-linux", "nsenter": "util-linux",
}
SBIN = "/usr/sbin:/sbin"  # not everyone's PATH has it
CANNOT = 77  # exit status: the testbed cannot be used here; ctest takes it for a skipped test


class Unusable(Exception):
    """The testbed cannot be used on this machine; the text says why and what to do."""


def path():
    return f"{os.environ.get('PATH', '/usr/bin:/bin')}:{SBIN}"


def check():
    missing = sorted({package for program, package in PACKAGES.items() if shutil.which(program, path=path()) is None})
    if missing:
        raise Unusable(f"these Debian packages are missing: {' '.join(missing)}; scripts/setup cluster installs them")
    if os.geteuid() != 0:
        raise Unusable("only root may make the namespaces that stand for nodes; run it as root, or with sudo")
    tried = subprocess.run(["unshare", "--mount", "--net", "--uts", "--ipc", "--pid", "--fork", "--mount-proc", "true"],
                           capture_output=True, text=True, check=False)
    if tried.returncode != 0:
        raise Unusable("the system refuses to make namespaces, which in a container needs the capability SYS_ADMIN: "
                       + tried.stderr.strip())
