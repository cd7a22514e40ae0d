#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# The package mpich: MPICH's names for Bowline's libraries, in the folder in which conda's programs look.
set -euo pipefail
mkdir -p "$PREFIX/lib"
for name in libmpich.so.12 libmpi.so.12 libmpichfort.so.12 libmpifort.so.12; do
  ln -s "bowline/mpich/$name" "$PREFIX/lib/$name"
done
