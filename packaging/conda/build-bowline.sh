#!/bin/bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds the package bowline; conda's environment has the compilers, their flags and PREFIX.
set -euo pipefail
cmake -S . -B build -G Ninja $CMAKE_ARGS \
  -DCMAKE_BUILD_TYPE=Release \
  -DCMAKE_UNITY_BUILD=ON \
  -DCMAKE_UNITY_BUILD_BATCH_SIZE=12 \
  -DCMAKE_INSTALL_PREFIX="$PREFIX" \
  -DCMAKE_INSTALL_LIBDIR=lib \
  -DBOWLINE_TESTS=OFF \
  -DBOWLINE_PERF=OFF \
  -DBOWLINE_WERROR=OFF
cmake --build build
cmake --install build
