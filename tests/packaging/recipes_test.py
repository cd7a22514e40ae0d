# SPDX-License-Identifier: BSD-3-Clause
"""The recipes agree with the project: version, licence, home page, dependencies, options; and what they run is a
program."""
import ast
import json
import re
import subprocess
import unittest

import recipes
import spack_stub
from recipes import EASYBUILD, PACKAGING, ROOT, SPACK, text_of


class Facts(unittest.TestCase):
    VERSION = recipes.project_version()

    def test_version(self):
        self.assertEqual(self.VERSION, recipes.conda()["context"]["version"])
        config = next((EASYBUILD / "easyconfigs").glob("Bowline-*.eb"))
        values = recipes.easyconfig(config.name)
        self.assertEqual(self.VERSION, values["version"])
        self.assertEqual(config.stem, f"Bowline-{self.VERSION}-GCC-{values['toolchain']['version']}")
        toolchain = recipes.easyconfig("gbowline-2025b.eb")
        self.assertIn(("Bowline", self.VERSION, "", ("GCC", values["toolchain"]["version"])), toolchain["dependencies"])

    def test_archive(self):
        """The command that makes the archive of the sources, wherever it is told."""
        files = [ROOT / "docs/packages.md", recipes.SPEC, PACKAGING / "conda/recipe.yaml",
                 next((EASYBUILD / "easyconfigs").glob("Bowline-*.eb"))]
        for path in files:
            name = f"bowline-{self.VERSION}"
            self.assertIn(f"git archive --prefix={name}/ -o {name}.tar.gz HEAD", text_of(path), path)

    def test_licence_and_homepage(self):
        facts = recipes.facts()
        self.assertIn("BSD 3-Clause", text_of(ROOT / "LICENSE"))
        about = recipes.conda()["about"]
        said = spack_stub.load(SPACK, [])
        self.assertEqual({facts["licence"]}, {about["license"], dict((name, words) for name, words, _ in said[1])[
            "license"][0]})
        self.assertEqual({facts["homepage"]}, {about["homepage"], said[0].Bowline.homepage, recipes.easyconfig(
            f"Bowline-{self.VERSION}-GCC-14.3.0.eb")["homepage"]})

    def test_rpm(self):
        facts = recipes.facts()
        said = recipes.rpm("-q", "--srpm", "--qf", "%{NAME}|%{VERSION}|%{LICENSE}|%{URL}|%{CHANGELOGTEXT}")
        self.assertEqual(said, f"bowline|{self.VERSION}|{facts['licence']}|{facts['homepage']}|- First package")
        self.assertRegex(text_of(recipes.SPEC), rf"(?m)^\* .* - {re.escape(self.VERSION)}-1$")


class Dependencies(unittest.TestCase):
    def test_list(self):
        """packaging/dependencies.json has what scripts/setup installs."""
        setup = re.search(r"(?ms)^build_packages=\((.*?)^\)", text_of(ROOT / "scripts/setup"))[1]
        self.assertEqual(set(recipes.facts()["build"]), set(setup.split()), "a dependency belongs into both")

    def test_rpm(self):
        said = set(re.findall(r"(?m)^BuildRequires:\s+(\S+)", recipes.rpm()))
        self.assertEqual(said, recipes.names_in("rpm") | {"rpm-mpi-hooks"})

    def test_spack(self):
        said = {re.match(r"[\w-]+", words[0])[0] for name, words, _ in spack_stub.load(SPACK, [])[1]
                if name == "depends_on"}
        self.assertEqual(said, recipes.names_in("spack") | {"c"})

    def test_easybuild(self):
        values = recipes.easyconfig(f"Bowline-{recipes.project_version()}-GCC-14.3.0.eb")
        said = {name for name, *_ in values["dependencies"] + values["builddependencies"]}
        self.assertEqual(said, recipes.names_in("easybuild"))

    def test_conda(self):
        wanted = recipes.conda_package("bowline")["requirements"]
        said = {re.match(r"[\w-]+", re.sub(r"\$\{\{ (\w+)\('(\w+)'\) \}\}", r"\1-\2", entry))[0]
                for entry in wanted["build"] + wanted["host"]} - {"compiler-c", "stdlib-c"}
        self.assertEqual({re.sub(r"compiler-(\w+)", r"compiler(\1)", name) for name in said},
                         recipes.names_in("conda"))


class Commands(unittest.TestCase):
    def test_options_exist(self):
        declared = {name for path in [ROOT / "CMakeLists.txt", *(ROOT / "cmake").glob("*.cmake")]
                    for name in re.findall(r"(?:option|set)\((BOWLINE_\w+)", text_of(path))}
        preset = json.loads(text_of(ROOT / "CMakePresets.json"))["configurePresets"]
        batch = next(p for p in preset if p["name"] == "release")["cacheVariables"]["CMAKE_UNITY_BUILD_BATCH_SIZE"]
        for path in (recipes.SPEC, SPACK, PACKAGING / "conda/build-bowline.sh", EASYBUILD / "easyblocks/bowline.py",
                     recipes.DOCKERFILE):
            named = set(re.findall(r"""(?:-D|define\("|define_from_variant\("|[{ ]")(BOWLINE_(?!CC|CXX|FC)\w+)""",
                                   text_of(path)))
            self.assertLessEqual({"BOWLINE_TESTS", "BOWLINE_PERF"}, named, path)
            self.assertLessEqual(named, declared, path)
            # Files are compiled together in the groups of the preset: in others, names could clash.
            self.assertRegex(text_of(path),
                             rf"CMAKE_UNITY_BUILD_BATCH_SIZE\W+{batch}\b|cmake --preset release -B /build ")

    def check_shell(self, script):
        done = subprocess.run(["bash", "-n", "-c", script], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""), script)

    def test_shell_scripts(self):
        scripts = [text_of(path) for path in PACKAGING.glob("conda/*.sh")]
        self.assertEqual(len(scripts), 2)
        sections = re.search(r"(?s)\n%prep\n(.*?)\n%files\n", recipes.rpm())[1]
        self.assertIn("\ncmake --build build", sections)
        for script in [*scripts, re.sub(r"(?m)^%\w+$", "", sections)]:
            self.check_shell(script)

    def test_dockerfile(self):
        stages = recipes.docker_stages()
        self.assertEqual(list(stages), ["build", "base", "develop", "runtime"])  # the last one is what is built
        for name, (base, instructions) in stages.items():
            self.assertTrue(base in stages or re.fullmatch(r"debian:12(-slim)?", base), base)
            for word, arguments in instructions:
                if word == "RUN":
                    self.check_shell(arguments)
                    if "apt-get" in arguments or "setup" in arguments:
                        self.assertIn("rm -rf /var/lib/apt/lists/*", arguments, name)
                elif word == "COPY" and "--from" not in arguments:
                    self.assertTrue((ROOT / arguments.split()[0]).exists(), arguments)
        for name in ("develop", "runtime"):
            self.assertIn(("USER", "nobody"), stages[name][1])

    def test_python_of_easybuild(self):
        for path in EASYBUILD.rglob("*.py"):
            ast.parse(text_of(path), path)


class Spack(unittest.TestCase):
    """The package file's methods, on a stub of what Spack gives them."""

    class Spec:
        def __init__(self, fortran):
            self.fortran = fortran

        def satisfies(self, wanted):
            return {"+fortran": self.fortran, "~fortran": not self.fortran}[wanted]

    class Prefix:
        bin, lib = "/opt/b/bin", "/opt/b/lib"

    def setUp(self):
        self.links = []
        self.module, self.directives = spack_stub.load(SPACK, self.links)

    def package(self, fortran=True):
        package = self.module.Bowline()
        package.spec, package.prefix = self.Spec(fortran), self.Prefix
        return package

    def test_virtuals(self):
        provided = [words[0] for name, words, _ in self.directives if name == "provides"]
        self.assertEqual(provided, ["mpi@:5.0", "mpi-abi"])

    def test_wrappers(self):
        environment = spack_stub.Environment()
        self.package().setup_run_environment(environment)
        self.assertEqual(environment, {"MPICC": "/opt/b/bin/mpicc", "MPICXX": "/opt/b/bin/mpicxx",
                                       "MPIF77": "/opt/b/bin/mpif77", "MPIF90": "/opt/b/bin/mpif90",
                                       "MPIFC": "/opt/b/bin/mpifort"})
        package = self.package()
        package.setup_dependent_package(None, None)
        self.assertEqual(package.spec.mpifc, "/opt/b/bin/mpifort")
        package = self.package(fortran=False)
        package.setup_dependent_package(None, None)
        self.assertEqual(package.spec.mpicxx, "/opt/b/bin/mpicxx")
        self.assertFalse(hasattr(package.spec, "mpifc"))
        self.assertIn("-DBOWLINE_FORTRAN:BOOL=OFF", package.cmake_args())

    def test_dependents_use_spacks_compilers(self):
        environment = spack_stub.Environment()
        dependent = type("Spec", (), {"package": type("Package", (), {"module": type(
            "Module", (), {"spack_cc": "/spack/cc", "spack_fc": "/spack/fc"})})})
        self.package().setup_dependent_build_environment(environment, dependent)
        self.assertEqual({name: value for name, value in environment.items() if name.startswith("BOWLINE_")},
                         {"BOWLINE_CC": "/spack/cc", "BOWLINE_FC": "/spack/fc"})
        # Those are the variables of the wrappers.
        text = text_of(ROOT / "launcher/wrappers/CMakeLists.txt")
        self.assertLessEqual({"CC", "CXX", "FC"}, set(re.findall(r"^bowline_wrapper\(\S+ \S+ (\w+)", text, re.M)))

    def test_names_of_mpich(self):
        self.package().link_names_of_mpich()
        self.assertIn(("bowline/mpich/libmpi.so.12", "/opt/b/lib/libmpi.so.12"), self.links)


if __name__ == "__main__":
    unittest.main()
