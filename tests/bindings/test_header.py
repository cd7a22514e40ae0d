# SPDX-License-Identifier: BSD-3-Clause
"""Holds include/mpi.h against the facts in api.json, and include/mpi-ext.h against those in extensions.json, with
compilers and without the generator that wrote them."""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
API = json.loads((ROOT / "bindings" / "api.json").read_text(encoding="utf-8"))
EXTENSIONS = json.loads((ROOT / "bindings" / "extensions.json").read_text(encoding="utf-8"))
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Werror"]
COMPILERS = {"gcc": ("c", ["-std=c11"]), "clang": ("c", ["-std=c11"]), "g++": ("cpp", ["-std=c++11"]),
             "clang++": ("cpp", ["-std=c++11"])}


def forms(function):
    yield function["name"], function["c"]
    if "c_large" in function:
        yield function["name"] + "_c", function["c_large"]


def conversions():
    """What mpi.h defines itself, for exchange with Fortran."""
    kinds = [f["name"].removesuffix("_toint") for f in API["functions"] if f["name"].endswith("_toint")]
    names = {kind + way for kind in kinds for way in ("_f2c", "_c2f")}
    names |= {"MPI_Status_" + way for way in ("f2c", "c2f", "f082c", "c2f08", "f2f08", "f082f")}
    return names | {"P" + name for name in names}


def extended_source():
    """The address of every function goes into a pointer of the exact type; the preprocessor compares the constants."""
    lines = ["#include <mpi-ext.h>"]
    for function in EXTENSIONS["functions"]:
        for name in (function["name"], *function.get("also", ())):
            for symbol in (name, "P" + name):
                lines.append(f"extern int (*const check_{symbol})({', '.join(function['c'])});")
                lines.append(f"int (*const check_{symbol})({', '.join(function['c'])}) = {symbol};")
    values = {c["name"]: c.get("value", c.get("alias")) for c in EXTENSIONS["constants"]}
    values |= {name: 1 for name in EXTENSIONS["features"]}
    for name, value in values.items():
        lines.append(f"#if !defined({name}) || {name} != {value}\n#error {name}\n#endif")
    return "\n".join(lines) + "\n"


def integers():
    return [c for c in API["constants"] if c.get("type") == "int"]


def casts():
    return [c for c in API["constants"] if c.get("type") not in ("int", None)]


def prototypes_source():
    """Every function's address goes into a pointer of the exact type; the compiler refuses any other."""
    lines = ["#include <mpi.h>"]
    for function in API["functions"]:
        for name, parameters in forms(function):
            # The type is spelled with the parameters' names left in: a pointer type may carry them.
            arguments = ", ".join(parameters) or "void"
            for symbol in (name, "P" + name):
                lines.append(f"extern {function['returns']} (*const check_{symbol})({arguments});")
                lines.append(f"{function['returns']} (*const check_{symbol})({arguments}) = {symbol};")
    return "\n".join(lines) + "\n"


def integers_source():
    """The preprocessor itself compares, except with enumerators, which it cannot see."""
    lines = ["#include <mpi.h>"]
    for c in integers():
        if c["name"].startswith(("MPI_T_CB_REQUIRE_", "MPI_T_SOURCE_")):
            lines.append(f"typedef char check_{c['name']}[{c['name']} == {c['value']} ? 1 : -1];")
        else:
            lines.append(f"#if !defined({c['name']}) || {c['name']} != {c['value']}\n#error {c['name']}\n#endif")
    return "\n".join(lines) + "\n"


def program_source():
    """What only a running program can compare: the numbers behind handles and pointers, and the layout of a status."""
    lines = ["#include <mpi.h>", "#include <stddef.h>", "#include <stdio.h>", "static int wrong = 0;",
             "static void expect(const char *name, long long value, long long expected) {",
             '  if (value != expected) { printf("%s is %lld, not %lld\\n", name, value, expected); wrong = 1; }', "}",
             "int main(void) {"]
    for c in casts():
        # An object of the constant's own type: a constant of another type does not compile.
        lines.append(f"  {{ {c['type']} value = {c['name']};")
        lines.append(f"    expect(\"{c['name']}\", (long long)value, {c['value']}); }}")
    for c in API["constants"]:
        if "alias" in c and not c["name"].startswith("MPI_ABI_"):
            lines.append(f"  expect(\"{c['name']}\", (long long){c['name']}, (long long){c['alias']});")
    offset = 0
    for name, type_ in API["status"].items():
        lines.append(f'  expect("offset of {name}", (long long)offsetof(MPI_Status, {name}), {offset});')
        offset += 4 * int((re.search(r"\d+", type_) or ["1"])[0])
    lines.append(f'  expect("size of MPI_Status", (long long)sizeof(MPI_Status), {offset});')
    for type_, size in {"MPI_Aint": 8, "MPI_Count": 8, "MPI_Offset": 8, "MPI_Fint": 4, "MPI_T_cb_safety": 4}.items():
        lines.append(f'  expect("size of {type_}", (long long)sizeof({type_}), {size});')
    for handle in API["handles"]:
        lines.append(f'  {{ {handle["type"]} value = (struct {handle["tag"]} *)0; '
                     f'expect("size of {handle["type"]}", (long long)sizeof value, (long long)sizeof(void *)); }}')
    return "\n".join(lines) + "\n  return wrong;\n}\n"


class Case(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)
        self.path = pathlib.Path(self.directory.name)

    def compile(self, compiler, source, *options):
        suffix, standard = COMPILERS[compiler]
        file = self.path / f"check.{suffix}"
        file.write_text(source, encoding="utf-8")
        command = [compiler, *standard, *WARNINGS, f"-I{ROOT / 'include'}", str(file), *options]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def for_each_compiler(self, check):
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                if shutil.which(compiler) is None:
                    self.skipTest(f"the compiler {compiler} is not installed")
                check(compiler)

    def check_is_written(self, command, name):
        written = self.path / name
        subprocess.run([sys.executable, str(ROOT / "bindings" / "bindgen.py"), command, str(written)], check=True)
        self.assertEqual((ROOT / "include" / name).read_text(), written.read_text(),
                         f"include/{name} is out of date: build the target bowline_mpi_h")


class HeaderTest(Case):
    def test_is_what_the_generator_writes(self):
        self.check_is_written("header", "mpi.h")

    def test_every_signature(self):
        def check(compiler):
            result = self.compile(compiler, prototypes_source(), "-fsyntax-only")
            self.assertEqual(result.returncode, 0, result.stderr[:2000])
        self.for_each_compiler(check)

    def test_every_integer_constant(self):
        def check(compiler):
            result = self.compile(compiler, integers_source(), "-fsyntax-only")
            self.assertEqual(result.returncode, 0, result.stderr[:2000])
        self.for_each_compiler(check)

    def test_every_handle_pointer_and_layout(self):
        def check(compiler):
            program = self.path / "program"
            result = self.compile(compiler, program_source(), "-o", str(program))
            self.assertEqual(result.returncode, 0, result.stderr[:2000])
            run = subprocess.run([str(program)], capture_output=True, text=True, check=False)
            self.assertEqual((run.returncode, run.stdout), (0, ""))
        self.for_each_compiler(check)

    def test_nothing_else_is_declared(self):
        text = (ROOT / "include" / "mpi.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"^\w[\w *]*?\b(P?MPI_\w+)\(", text, re.MULTILINE))
        expected = {prefix + name for f in API["functions"] for name, _ in forms(f) for prefix in ("", "P")}
        self.assertEqual(len(expected), 2 * 662)
        self.assertEqual(declared, expected | conversions())

    def test_a_wrong_signature_would_be_seen(self):
        wrong = prototypes_source().replace("int count, MPI_Datatype datatype, int dest", "long count, MPI_Datatype "
                                            "datatype, int dest")
        self.assertNotEqual(self.compile("gcc", wrong, "-fsyntax-only").returncode, 0)

    def test_optimizing_compilers_take_numbers_for_weights(self):
        source = """#include <mpi.h>
            int make(int *one, MPI_Comm *made);
            int make(int *one, MPI_Comm *made) {
              MPI_Dist_graph_create(MPI_COMM_SELF, 1, one, one, one, MPI_WEIGHTS_EMPTY, MPI_INFO_NULL, 0, made);
              return MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, one, MPI_UNWEIGHTED, 1, one, MPI_UNWEIGHTED,
                                                    MPI_INFO_NULL, 0, made);
            }\n"""

        def check(compiler):
            result = self.compile(compiler, source, "-O2", "-c", "-o", str(self.path / "object"))
            self.assertEqual(result.returncode, 0, result.stderr[:2000])
        self.for_each_compiler(check)

    def test_the_c_header_reads_as_c90_with_long_long(self):
        file = self.path / "old.c"
        file.write_text("#include <mpi.h>\nint main(void) { return MPI_SUCCESS; }\n", encoding="utf-8")
        options = ["-std=c90", "-pedantic", "-Wno-long-long", "-Werror", "-fsyntax-only"]
        command = ["gcc", *options, f"-I{ROOT / 'include'}", str(file)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)


class ExtensionHeaderTest(Case):
    def test_is_what_the_generator_writes(self):
        self.check_is_written("extension-header", "mpi-ext.h")

    def test_every_signature_and_constant(self):
        def check(compiler):
            result = self.compile(compiler, extended_source(), "-fsyntax-only")
            self.assertEqual(result.returncode, 0, result.stderr[:2000])
        self.for_each_compiler(check)

    def test_nothing_else_is_declared(self):
        text = (ROOT / "include" / "mpi-ext.h").read_text(encoding="utf-8")
        names = {name for f in EXTENSIONS["functions"] for name in (f["name"], *f.get("also", ()))}
        self.assertEqual(set(re.findall(r"^int (\w+)\(", text, re.MULTILINE)), names | {"P" + name for name in names})
        self.assertLessEqual(max(map(len, text.splitlines())), 120)

    def test_reads_as_c90(self):
        file = self.path / "old.c"
        file.write_text(extended_source(), encoding="utf-8")
        command = ["gcc", "-std=c90", "-pedantic", "-Wno-long-long", "-Werror", "-fsyntax-only",
                   f"-I{ROOT / 'include'}", str(file)]
        result = subprocess.run(command, capture_output=True, text=True, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_a_wrong_signature_would_be_seen(self):
        wrong = extended_source().replace("int num_to_ack", "long num_to_ack")
        self.assertNotEqual(self.compile("gcc", wrong, "-fsyntax-only").returncode, 0)


if __name__ == "__main__":
    unittest.main()
