# SPDX-License-Identifier: BSD-3-Clause
"""What tests of the generator share: the interface that it reads, and an entry point that it writes."""
import pathlib
import sys

BINDINGS = pathlib.Path(__file__).resolve().parents[2] / "bindings"
sys.path.insert(0, str(BINDINGS))

from bindgen import entry_points, model  # noqa: E402

API = model.load(BINDINGS / "api.json")
FUNCTIONS = {f.name: f for f in API.all_functions()}


def entry(name, large=False, has_body=True):
    return entry_points.text(FUNCTIONS[name], large, has_body)
