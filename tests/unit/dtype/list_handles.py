# SPDX-License-Identifier: BSD-3-Clause
"""Writes the predefined datatypes and operators of api.json as rows of C++: {"MPI_INT", "MPI_Datatype", 521},"""
import json
import pathlib
import sys

source, target = map(pathlib.Path, sys.argv[1:])
constants = json.loads(source.read_text(encoding="utf-8"))["constants"]
rows = [f'{{"{c["name"]}", "{c["type"]}", {c["value"]}}},\n' for c in constants
        if c.get("type") in ("MPI_Datatype", "MPI_Op")]
target.write_text("".join(rows), encoding="utf-8")
