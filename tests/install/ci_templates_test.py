# SPDX-License-Identifier: BSD-3-Clause
"""The templates of docs/ci are what the services read, and their commands build and test a project. Of these commands
apt-get and git need the network, and building Bowline takes minutes: stand-ins check their arguments, and give what is
there already, the source tree and the staged installation."""
import os
import pathlib
import re
import shutil
import subprocess
import unittest

from installed import CONSUMER, PREFIX, SHARE, InstallTest

try:
    import yaml
except ImportError:
    yaml = None

ROOT = pathlib.Path(__file__).resolve().parents[2]
LIMIT = 20  # lines with the comment: they are there to be copied by hand
STAND_IN = """#!/bin/sh
exec python3 -B {script} {name} "$@"
"""


def cmake(words):
    """Bowline's own configuration, build and installation; all else is the real cmake's."""
    options = {word for word in words if word.startswith("-D")}
    if words[0] == "--preset":
        presets = subprocess.run([os.environ["REAL_CMAKE"], "--list-presets"], capture_output=True, text=True,
                                 check=True).stdout
        declared = re.findall(r"option\((\w+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))
        assert f'"{words[1]}"' in presets, f"no preset {words[1]}"
        assert all(re.fullmatch(r"-D(\w+)=O(N|FF)", option)[1] in declared for option in options), options
        pathlib.Path("build").mkdir()
    elif words[:2] == ["--build", "bowline/build"]:
        assert pathlib.Path("bowline/build").is_dir(), "the build is not configured"
    elif words[:3] == ["--install", "bowline/build", "--prefix"]:
        pathlib.Path(words[3]).symlink_to(PREFIX)
    else:
        os.execv(os.environ["REAL_CMAKE"], [os.environ["REAL_CMAKE"], *words])


def git(words):
    assert words[0] == "clone" and words[-1] == "bowline", words
    link_sources(pathlib.Path("bowline"))


def apt_get(words):
    assert words[0] in ("update", "install"), words


def link_sources(folder):
    """The source tree, but for its builds."""
    folder.mkdir()
    for entry in ROOT.iterdir():
        if not entry.name.startswith((".", "build")):
            (folder / entry.name).symlink_to(entry)


class CiTemplates(InstallTest):
    FOLDER = "ci-"  # it stands in commands, unquoted

    def setUp(self):
        if yaml is None:
            self.skipTest("python3-yaml is not installed (scripts/setup check)")
        super().setUp()
        self.project, self.prefix = self.directory / "project", self.directory / "opt-bowline"
        shutil.copytree(CONSUMER, self.project)
        self.programs = self.directory / "programs"
        self.programs.mkdir()
        for name in ("cmake", "git", "apt-get"):
            (self.programs / name).write_text(STAND_IN.format(script=__file__, name=name), encoding="utf-8")
            (self.programs / name).chmod(0o755)

    def read(self, name):
        text = (SHARE / "docs/ci" / name).read_text(encoding="utf-8")
        self.assertLess(len(text.splitlines()), LIMIT)
        return yaml.safe_load(text)

    def run_commands(self, commands, variables=()):
        environment = {"PATH": f"{self.programs}:{os.environ['PATH']}", "REAL_CMAKE": shutil.which("cmake"),
                       "CMAKE_GENERATOR": "Ninja", **dict(variables)}
        shell = "\n".join(["cd project", *commands]).replace("/opt/bowline", str(self.prefix))
        return self.call("sh", "-e", "-c", shell, **environment).stdout

    def test_github(self):
        template = self.read("github.yml")
        self.assertEqual(template[True], ["push", "pull_request"])  # YAML 1.1 takes "on" for true
        (job,) = template["jobs"].values()
        self.assertLessEqual({"runs-on", "container", "steps"}, set(job))
        uses = [step for step in job["steps"] if "uses" in step]
        self.assertEqual([step["uses"] for step in uses], ["actions/checkout@v4"] * 2)
        link_sources(self.project / uses[1]["with"]["path"])
        # Each step is a shell of its own.
        said = self.run_commands(f"({step['run']})" for step in job["steps"] if "run" in step)
        self.assertIn("100% tests passed, 0 tests failed out of 2", said)
        self.assertIn(str(self.prefix), (self.project / "build/CMakeCache.txt").read_text(encoding="utf-8"))

    def test_gitlab(self):
        (job,) = self.read("gitlab.yml").values()
        self.assertIn("image", job)
        # The last command, which takes seconds, is that of GitHub's.
        steps = [step.get("run", "") for step in self.read("github.yml")["jobs"]["mpi"]["steps"]]
        path, last = job["script"]
        self.assertEqual(f"{path} && {last}", steps[-1])
        found = self.run_commands([*job["before_script"], path, "command -v mpicc"], job["variables"])
        self.assertEqual(found.splitlines()[-1], f"{self.prefix}/bin/mpicc")

    def test_the_page_shows_the_template(self):
        shown = re.search(r"```yaml\n#[^\n]*\n(.*?)```", (SHARE / "docs/ci.md").read_text(encoding="utf-8"), re.DOTALL)
        template = (SHARE / "docs/ci/github.yml").read_text(encoding="utf-8")
        self.assertEqual(shown[1], "".join(line for line in template.splitlines(True) if not line.startswith("#")))


if __name__ == "__main__":
    import sys
    if len(sys.argv) > 1 and sys.argv[1] in ("cmake", "git", "apt-get"):
        {"cmake": cmake, "git": git, "apt-get": apt_get}[sys.argv[1]](sys.argv[2:])
    else:
        unittest.main()
