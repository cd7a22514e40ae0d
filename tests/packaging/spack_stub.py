# SPDX-License-Identifier: BSD-3-Clause
"""Loads Spack's package file without Spack: directives are recorded, and what the methods call is here."""
import importlib.util
import subprocess
import sys
import types

DIRECTIVES = ("conflicts", "depends_on", "filter_compiler_wrappers", "generator", "license", "provides", "can_splice",
              "variant", "version")


class Executable:
    def __init__(self, path):
        self.path = path

    def __call__(self, *words, output=None, error=None):
        return subprocess.run([self.path, *words], capture_output=True, text=True, check=True).stdout


class CMakePackage:
    """define() as in Spack; a package of the test has a spec and a prefix besides."""

    def define(self, name, value):
        return f"-D{name}:BOOL={'ON' if value else 'OFF'}" if isinstance(value, bool) else f"-D{name}:STRING={value}"

    def define_from_variant(self, name, variant):
        return self.define(name, self.spec.satisfies(f"+{variant}"))


class Environment(dict):
    def set(self, name, value):
        self[name] = value


def load(path, links):
    """The module of the package file, and the directives with their arguments. `links` gets what symlink() is told."""
    recorded = []
    package = types.ModuleType("spack.package")
    for name in DIRECTIVES:
        setattr(package, name, lambda *words, _name=name, **options: recorded.append((_name, words, options)))
    package.run_after = lambda phase: lambda method: method
    package.join_path = lambda *parts: "/".join(map(str, parts))
    package.symlink = lambda target, link: links.append((target, link))
    package.Executable = Executable
    package.EnvironmentModifications = package.Spec = Environment
    cmake = types.ModuleType("spack_repo.builtin.build_systems.cmake")
    cmake.CMakePackage, cmake.generator = CMakePackage, package.generator
    modules = {"spack": types.ModuleType("spack"), "spack.package": package, cmake.__name__: cmake}
    parent = ""
    for part in cmake.__name__.split(".")[:-1]:
        parent = f"{parent}.{part}".lstrip(".")
        modules[parent] = types.ModuleType(parent)
    sys.modules.update(modules)
    spec = importlib.util.spec_from_file_location("bowline_package", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module, recorded
