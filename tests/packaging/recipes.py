# SPDX-License-Identifier: BSD-3-Clause
"""What the recipes in packaging/ say, as Python's values."""
import functools
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import yaml

ROOT = pathlib.Path(os.environ["ROOT"])
PACKAGING = ROOT / "packaging"
SPEC = PACKAGING / "rpm/bowline.spec"
DOCKERFILE = PACKAGING / "docker/Dockerfile"
SPACK = PACKAGING / "spack/spack_repo/bowline/packages/bowline/package.py"
EASYBUILD = PACKAGING / "easybuild"


def text_of(path):
    return path.read_text(encoding="utf-8")


def project_version():
    return re.search(r"project\(bowline VERSION ([\d.]+)", text_of(ROOT / "CMakeLists.txt"))[1]


@functools.cache
def facts():
    return json.loads(text_of(PACKAGING / "dependencies.json"))


def names_in(system):
    """What the package system calls the packages that the build needs."""
    return {names[system] for names in facts()["build"].values() if names[system]}


@functools.cache
def rpm(*query):
    """The spec file with its macros replaced, or the answer to a query."""
    if shutil.which("rpmspec") is None:
        raise unittest.SkipTest("there is no rpmspec")
    done = subprocess.run(["rpmspec", "--define", "_arch x86_64", *(query or ["-P"]), SPEC], capture_output=True,
                          text=True, check=True)
    return done.stdout


@functools.cache
def conda():
    return yaml.safe_load(text_of(PACKAGING / "conda/recipe.yaml"))


def conda_package(name):
    return next(output for output in conda()["outputs"] if output["package"]["name"] == name)


def easyconfig(name):
    """The variables that EasyBuild's file sets; the constants are EasyBuild's."""
    values = {"OS_PKG_IBVERBS_DEV": "verbs", "SYSTEM": "system"}
    exec(text_of(EASYBUILD / "easyconfigs" / name), values)  # pylint: disable=exec-used
    return values


def docker_stages():
    """Stage by name: its base and its instructions (word, arguments), continued lines joined."""
    lines = re.sub(r"(?m)^#.*\n", "", text_of(DOCKERFILE)).replace("\\\n", " ").splitlines()
    stages = {}
    for line in filter(str.strip, lines):
        word, arguments = line.split(None, 1)
        if word == "FROM":
            base, name = re.fullmatch(r"(\S+) AS (\S+)", arguments).groups()
            stages[name] = (base, [])
        else:
            stages[name][1].append((word, " ".join(arguments.split())))
    return stages


def installed_with_apt(command):
    """The packages that a shell command installs."""
    found = re.search(r"apt-get install -y --no-install-recommends ([^&]*)", command)
    return found[1].split() if found else []
