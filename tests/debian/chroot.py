# SPDX-License-Identifier: BSD-3-Clause
"""A small Debian system in a folder, installed from where this machine's own packages come from, and commands in it.

It needs root, debootstrap, and mounts of its own. Where one of these cannot be had, `Unusable` says why.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess

VARIABLES = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive",
             "DEBIAN_PRIORITY": "critical"}
PROXIES = ("http_proxy", "https_proxy", "no_proxy")
# Mounts that only the command sees. Memory that processes share is of the chroot alone.
ENTER = """
mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" && mount -t tmpfs -o mode=1777 shm "$0/dev/shm" &&
user=$1 && shift && exec chroot --userspec="$user" "$0" "$@"
"""


class Unusable(Exception):
    """There can be no such system on this machine; the text says why."""


def call(words, **options):
    """Its output. The exception of a command that fails tells what it printed."""
    done = subprocess.run([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, errors="replace", check=False, **options)
    if done.returncode:
        raise AssertionError(f"{shlex.join(map(str, words))}: status {done.returncode}\n{done.stdout}")
    return done.stdout


def codename():
    return re.search(r"(?m)^VERSION_CODENAME=(\w+)", pathlib.Path("/etc/os-release").read_text(encoding="utf-8"))[1]


def sources(release, folder=pathlib.Path("/etc/apt")):
    """The machine's entries for suites of the release, in apt's newer form, the release's own first."""
    found = []
    for path in [folder / "sources.list", *sorted(folder.glob("sources.list.d/*.list"))]:
        text = path.read_text(encoding="utf-8") if path.exists() else ""
        for uri, suites, components in re.findall(r"(?m)^deb\s+(?:\[[^]]*\]\s+)?(\S+)\s+(\S+)\s+(.+)", text):
            found.append({"Types": "deb", "URIs": uri, "Suites": suites, "Components": components})
    for path in sorted(folder.glob("sources.list.d/*.sources")):
        text = re.sub(r"(?m)^#.*\n", "", path.read_text(encoding="utf-8"))
        found += [dict(re.findall(r"(?m)^([\w-]+):\s*(.*)", stanza)) for stanza in re.split(r"\n\s*\n", text)]
    found = [entry for entry in found if "deb" in entry.get("Types", "").split() and entry.get("Enabled") != "no"
             and re.match(rf"{release}\b", entry["Suites"])]
    return sorted(found, key=lambda entry: release not in entry["Suites"].split())


class Chroot:
    def __init__(self, root):
        self.root = pathlib.Path(root)

    @classmethod
    def make(cls, root):
        if os.geteuid() != 0:
            raise Unusable("only root can install a system into a folder")
        if shutil.which("debootstrap") is None:
            raise Unusable("the Debian package debootstrap is missing; scripts/setup packages installs it")
        own_mounts = subprocess.run(["unshare", "--mount", "--pid", "--fork", "true"], capture_output=True, check=False)
        if own_mounts.returncode:
            raise Unusable("this machine lets no process have mounts of its own")
        release = codename()
        entries = sources(release)
        if not entries:
            raise Unusable(f"/etc/apt names no source of Debian's {release}")
        mirror = entries[0]["URIs"].split()[0]
        try:
            call(["debootstrap", "--variant=minbase", "--include=ca-certificates", release, root, mirror])
        except AssertionError as error:
            raise Unusable(f"debootstrap cannot install {release} from {mirror}: {str(error)[-600:]}") from error
        made = cls(root)
        made.configure(entries)
        return made

    def configure(self, entries):
        apt = self.root / "etc/apt"
        (apt / "sources.list").unlink(missing_ok=True)
        text = "\n\n".join("\n".join(f"{key}: {value}" for key, value in entry.items()) for entry in entries)
        (apt / "sources.list.d/machine.sources").write_text(text + "\n", encoding="utf-8")
        settings = [line for line in call(["apt-config", "dump"]).splitlines() if line.startswith("Acquire::http")]
        (apt / "apt.conf.d/90machine").write_text("\n".join([*settings, 'APT::Install-Recommends "false";', ""]),
                                                  encoding="utf-8")
        (self.root / "usr/sbin/policy-rc.d").write_text("#!/bin/sh\nexit 101\n", encoding="utf-8")
        (self.root / "usr/sbin/policy-rc.d").chmod(0o755)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")
        self.run("apt-get", "update", "-qq")

    def run(self, *words, user="root", **variables):
        """Runs a command in it, as a user of its own."""
        environment = VARIABLES | {name: os.environ[name] for name in PROXIES if name in os.environ}
        environment |= {"HOME": "/root" if user == "root" else f"/home/{user}"} | variables
        return call(["unshare", "--mount", "--pid", "--fork", "--kill-child", "sh", "-c", ENTER, self.root, user,
                     *words], env=environment)

    def install(self, *packages):
        self.run("apt-get", "install", "-y", "-qq", *packages)

    def copied(self, root):
        call(["cp", "-a", self.root, root])
        return Chroot(root)
