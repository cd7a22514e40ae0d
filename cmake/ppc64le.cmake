# Toolchain file for 64-bit POWER, little-endian.
set(CMAKE_SYSTEM_PROCESSOR ppc64le)
set(architecture ppc64el)
set(triplet powerpc64le-linux-gnu)
set(emulator ppc64le)
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
