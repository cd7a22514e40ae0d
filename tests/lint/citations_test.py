# SPDX-License-Identifier: BSD-3-Clause
"""What the sources, messages and documents name exists: variables, their values, options, files.

MPIEXEC, INFO and SIM name the built programs, which tell their options and tunables themselves.
"""
import functools
import os
import pathlib
import re
import subprocess
import unittest

from sources_test import ROOT, is_script, own_files

CODE = {".c", ".h", ".cpp", ".hpp", ".in", ".py", ".sh", ".F90", ".f90", ".f", ".sbatch"}
# Folders whose files a path may name, from the root of the tree or from the folder of the file that names it.
FOLDERS = ("bindings", "cmake", "compat", "docs", "examples", "fortran", "include", "launcher", "perf", "scripts",
           "slurm", "src", "tests")
PATH = re.compile(rf"(?<![\w/.$@}}-])((?:{'|'.join(FOLDERS)})/[\w./*-]*[\w*])")
VARIABLE = re.compile(r"(?<![A-Za-z0-9_@])BOWLINE_[A-Z0-9_]*\*?")
SETTING = re.compile(r"(?<![A-Za-z0-9_])(BOWLINE_[A-Z0-9_]+)=([a-z0-9_][A-Za-z0-9_-]*)")
OPTION = re.compile(r"(?<![\w/.=+*-])--([a-z][a-z0-9-]*[a-z0-9])(?![\w-])")
PROGRAMS = {"mpiexec", "bowline-info", "bowline-ps", "bowline-rendezvous", "bowline-report", "bowline-sim"}
# In the sources these name no variable: the version of the private symbols.
SYMBOL_VERSIONS = {"BOWLINE_PRIVATE"}
# Tests of the reader of variables: they need names that do not exist.
WITH_WRONG_NAMES = {"tests/unit/base/tunable_test.cpp", "tests/mpi/environment/settings_test.py",
                    "tests/launcher/job_scripts_test.py"}


def text_of(path):
    return path.read_text(encoding="utf-8", errors="replace")


@functools.cache
def texts():
    """All files that can name something, by their path from the root."""
    chosen = [path for path in own_files()
              if path.suffix in CODE | {".md", ".txt", ".cmake", ".json"} or is_script(path)
              or path.name in ("modulefile", "README.md")]
    return {str(path.relative_to(ROOT)): text_of(path) for path in chosen
            if path.name not in (pathlib.Path(__file__).name, "api.json")}


def matches(pattern, under=("",)):
    """(file:line, match) for each match in these folders."""
    for name, text in texts().items():
        if name.startswith(under):
            for match in pattern.finditer(text):
                yield f"{name}:{text.count(chr(10), 0, match.start()) + 1}", match


def said(program, *words):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=60, check=True).stdout


class Case(unittest.TestCase):
    def assert_none(self, found):
        self.assertEqual([], found, "\n" + "\n".join(found))


class Variables(Case):
    @classmethod
    def setUpClass(cls):
        listed = said(os.environ["INFO"], "--tunables")
        rows = re.findall(r"^  (BOWLINE_\w+) = .*\n.*allowed (.*)\)$", listed, re.MULTILINE)
        cls.tunables = dict(rows)
        cls.others = set(re.findall(r"^  (BOWLINE_\w+)$", listed, re.MULTILINE))
        # What the build and the preprocessor define.
        cls.defined = set(SYMBOL_VERSIONS)
        for name, text in texts().items():
            if name.endswith((".txt", ".cmake")):
                cls.defined |= set(re.findall(r"\b(?:set|option|find_program|find_library|PROPERTY) ?\(?(BOWLINE_\w+)",
                                              text))
                for definitions in re.findall(r"(?:target_compile_definitions|set_source_files_properties)\([^()]*\)",
                                              text):
                    cls.defined |= set(re.findall(r"\b(BOWLINE_\w+)=", definitions))
            cls.defined |= set(re.findall(r"#\s*(?:define|ifdef|ifndef) (BOWLINE_\w+)", text))

    def test_there_are_some(self):
        self.assertGreater(len(self.tunables), 30)
        self.assertIn("BOWLINE_ABI", self.others)

    def is_known(self, name):
        known = {*self.tunables, *self.others, *self.defined}
        if name.endswith(("*", "_")):
            return any(full.startswith(name.rstrip("*")) for full in known)
        return name in known

    def test_names(self):
        """A name in a sentence, and also one that some script or program reads: readers cannot do without it."""
        self.assert_none([f"{place}: {match[0]}" for place, match in matches(VARIABLE)
                          if place.rpartition(":")[0] not in WITH_WRONG_NAMES and not self.is_known(match[0])])

    def test_short_names(self):
        named = re.compile(r"\btunables? `?([a-z]+_[a-z_]+)")
        self.assert_none([f"{place}: {match[0]}" for place, match in matches(named, ("docs/", "src/", "launcher/"))
                          if f"BOWLINE_{match[1].upper()}" not in self.tunables])

    def test_names_that_are_put_together(self):
        wrappers = re.findall(r"^bowline_wrapper\(\S+ \S+ (\w+)", texts()["launcher/wrappers/CMakeLists.txt"],
                              re.MULTILINE)
        self.assertEqual(len(wrappers), 3)
        self.assert_none([name for name in wrappers if f"BOWLINE_{name}" not in self.others])

    def test_values(self):
        wrong = []
        for place, match in matches(SETTING):
            name, value = match[1], match[2].rstrip("-")
            allowed = self.tunables.get(name)
            if allowed is None or (place.startswith("tests/") and "CMakeLists.txt" not in place):
                continue  # tests in Python give wrong values on purpose, and pass values as arguments
            limits = re.fullmatch(r"(-?\d+) to (\d+)", allowed)
            number = re.fullmatch(r"(\d+)([KMG]?)", value)
            if limits:
                fits = number and (int(limits[1]) <= int(number[1]) << {"": 0, "K": 10, "M": 20, "G": 30}[number[2]]
                                   <= int(limits[2]))
            elif re.fullmatch(r"[a-z0-9_-]+(, [a-z0-9_-]+)+", allowed):
                fits = value in allowed.split(", ")
            else:
                continue  # any text
            if not fits:
                wrong.append(f"{place}: {match[0]}: allowed is {allowed}")
        self.assert_none(wrong)


class Options(Case):
    # Options of other programs, by the program.
    FOREIGN = {
        "apptainer": "bind", "bwrap": "dev proc ro-bind tmpfs unshare-all", "ch-run": "bind",
        "cmake": "build install prefix preset", "ctest": "test-dir", "docker": "cap-add",
        "eb": "include-easyblocks include-toolchains robot sourcepath", "gdb": "args", "mount": "bind",
        "mpicc": "showme", "pkg-config": "cflags libs", "podman": "env-host network preserve-fds rm userns",
        "rattler-build": "recipe", "scancel": "signal",
        "srun": "exclusive jobid kill-on-bad-exit mpi no-kill ntasks-per-node overlap unbuffered",
        "unshare": "fork ipc map-current-user map-root-user mount net pid root uts",
        "update-alternatives": "set", "valgrind": "leak-check run-libc-freeres suppressions",
    }
    # They write commands for other launchers.
    TRANSLATORS = {"launcher/slurm.cpp", "launcher/prterun.cpp", "launcher/job/pmix_server.cpp",
                   "launcher/selftest/rank_starter.cpp", "src/wireup/srun_command.cpp"}

    @classmethod
    def setUpClass(cls):
        def long_options(text):
            return set(re.findall(r"(?<![\w-])--([a-z][a-z0-9-]*)", text))

        tables = {
            "mpiexec": long_options(said(os.environ["MPIEXEC"], "--help")),
            "bowline-info": long_options(said(os.environ["INFO"], "--help")),
            "bowline-ps": long_options(said(os.environ["PS"], "--help")),
            "bowline-rendezvous": long_options(said(os.environ["RENDEZVOUS"], "--help")),
            "bowline-report": long_options(said(os.environ["REPORT"], "--help")),
            "bowline-sim": long_options(said(os.environ["SIM"], "--help")),
        }
        foreign_table = texts()["launcher/command_line/foreign_table.cpp"]
        foreign = re.findall(r'^    \{"([^"]+)", \d', foreign_table, re.MULTILINE)
        tables["mpiexec"] |= {word.lstrip("-") for words in foreign for word in words.split()}
        for name, text in texts().items():
            declared = set(re.findall(r'add_argument\((?:"-\w", )?"--([a-z][a-z0-9-]*)"', text))
            if declared or "argparse" in text:
                tables[name] = declared | {"help"}
        for name, text in texts().items():
            if name in ("check", "demo", "scripts/format"):
                tables[f"./{name}"] = long_options(text)
            elif re.fullmatch(r"perf/\w+\.[ch]", name):
                tables[name] = set(re.findall(r'"--([a-z-]+)"', text))
        cls.tables = tables

    def test_of_our_programs(self):
        """A word before an option that ends with the path of a program; `run` alone is any program's word."""
        by_word = {name: table for name, table in self.tables.items() if name in PROGRAMS}
        by_path = {"/" + "/".join(name.split("/")[-2:]): table for name, table in self.tables.items() if "/" in name}
        wrong, seen = [], 0
        for place, match in matches(re.compile(r"([\w./-]*\w) --([a-z][a-z0-9-]*)")):
            if place.startswith("tests/"):
                continue
            table = by_word.get(match[1].rpartition("/")[2])
            for path, options in by_path.items():
                if ("/" + match[1]).endswith(path):
                    table = options
            seen += table is not None
            if table is not None and match[2] not in table:
                wrong.append(f"{place}: {match[0]}")
        self.assertGreater(seen, 20)
        self.assert_none(wrong)

    def test_of_any(self):
        """Of whichever program: in documents and in the messages of the library and the launcher."""
        known = set().union(*self.tables.values(), *(words.split() for words in self.FOREIGN.values()))
        wrong = []
        for name, text in texts().items():
            if name.endswith(".md"):
                words = OPTION.findall(text)
            elif name.startswith(("src/", "launcher/", "compat/")) and name.endswith(("pp", ".c", ".h")):
                words = [word for literal in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text)
                         for word in OPTION.findall(literal)]
            else:
                continue
            if name not in self.TRANSLATORS:
                wrong += [f"{name}: --{word}" for word in words if word not in known]
        self.assert_none(wrong)


class Files(Case):
    WRITTEN = ("docs/api.json", "docs/functions")  # by bindings/manual.py, while Bowline is built

    def test_paths(self):
        wrong = []
        for place, match in matches(PATH):
            path = match[1].rstrip("./")
            stands_for_any = re.search(r"\b[A-Z]{4,}(?=_|\b)", path)
            if stands_for_any or path.startswith(self.WRITTEN) or path.rpartition("/")[2] in PROGRAMS:
                continue  # LAYER, FILE and their kin stand for any; programs are in the build's folder
            folders = [folder for folder in (ROOT / place).parents if folder.is_relative_to(ROOT)]
            if any((folder / path).exists() for folder in folders):
                continue
            names = (path, path + ".*")  # the second: a program, by its source
            if not any(next(folder.glob(name), None) for folder in folders for name in names):
                wrong.append(f"{place}: {match[1]}")
        self.assert_none(wrong)

    def test_links(self):
        wrong = []
        for place, match in matches(re.compile(r"\]\(([^)#]+)[^)]*\)")):
            name = place.rpartition(":")[0]
            if name.endswith(".md") and "://" not in match[1] and not ((ROOT / name).parent / match[1]).exists():
                wrong.append(f"{place}: {match[1]}")
        self.assert_none(wrong)


if __name__ == "__main__":
    unittest.main()
