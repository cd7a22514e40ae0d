# SPDX-License-Identifier: BSD-3-Clause
"""The compiler itself refuses an include that goes up: for each layer, and each header folder that it must not see.

LAYERS names a file with one line per layer: its name, "|", and the include directories that CMake gives its sources,
separated by ";".
"""
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ["ROOT"]) / "src"
# From the bottom up, as the root CMakeLists.txt adds them: an include may only go to something further left.
ORDER = ["base", "dtype", "node", "wireup", "transport", "shm", "ucx", "verbs", "proto", "coll", "comm", "rma", "mpiio",
         "runtime", "api"]

# The folders of the layer of collectives, likewise.
COLLECTIVES = ["channel", "machine", "slots", "team", "selection", "algorithms", "calls"]


def read_layers():
    for line in pathlib.Path(os.environ["LAYERS"]).read_text(encoding="utf-8").splitlines():
        name, directories = line.split("|")
        yield name, [d for d in directories.split(";") if d]


def headers_of(layer):
    """How others include its headers."""
    return [path.relative_to(SOURCE).as_posix() for path in sorted((SOURCE / layer).rglob("*.hpp"))]


def preprocess(lines, directories):
    """The preprocessor's status and its words for a file of these lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".cpp") as file:
        file.write("".join(f"{line}\n" for line in lines))
        file.flush()
        paths = [f"-I{directory}" for directory in directories]
        command = [os.environ["CXX"], "-std=c++20", "-E", "-o", "/dev/null", *paths, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    return done.returncode, done.stderr


class Layers(unittest.TestCase):
    def test_every_folder_is_a_layer(self):
        folders = {path.name for path in SOURCE.iterdir() if path.is_dir()}
        self.assertEqual(folders, {name for name, _ in read_layers()})
        self.assertEqual(folders, set(ORDER))

    def test_own_headers_are_found_and_no_headers_further_up(self):
        """The file asks the preprocessor for each header by the search that an include makes."""
        refused = 0
        for name, directories in read_layers():
            lines = [f'#if !__has_include("{header}")\n#error its own {header} is not found\n#endif'
                     for header in headers_of(name)]
            for above in ORDER[ORDER.index(name) + 1:]:
                for header in headers_of(above):
                    lines.append(f'#if __has_include("{header}")\n#error it can include {header}\n#endif')
                    refused += 1
            status, words = preprocess(lines, directories)
            self.assertEqual(status, 0, f"src/{name}: {words}")
        self.assertGreater(refused, 20)

    def test_no_folder_of_the_collectives_includes_a_higher_one(self):
        arrows = [(path.relative_to(SOURCE).as_posix(), path.relative_to(SOURCE).parts[1], folder)
                  for path in sorted((SOURCE / "coll").rglob("*.[ch]pp"))
                  for folder in re.findall(r'#include "coll/([^/"]+)/', path.read_text(encoding="utf-8"))]
        self.assertGreater(len(arrows), 100)
        self.assertEqual([], [(path, folder) for path, own, folder in arrows
                              if COLLECTIVES.index(folder) > COLLECTIVES.index(own)])

    def test_an_include_that_goes_up_does_not_compile(self):
        layers = dict(read_layers())
        self.assertEqual(preprocess([f'#include "{headers_of("base")[0]}"'], layers["base"])[0], 0)
        status, words = preprocess([f'#include "{headers_of("dtype")[0]}"'], layers["base"])
        self.assertNotEqual(status, 0)
        self.assertIn("No such file", words.replace("file not found", "No such file"))


if __name__ == "__main__":
    unittest.main()
