# Toolchain file for 64-bit RISC-V.
set(CMAKE_SYSTEM_PROCESSOR riscv64)
set(architecture riscv64)
set(triplet riscv64-linux-gnu)
set(emulator riscv64)
include(${CMAKE_CURRENT_LIST_DIR}/foreign.cmake)
# Debian 13's libraries need its newer libstdc++, which the programs find when they run.
set(CMAKE_EXE_LINKER_FLAGS_INIT -Wl,--allow-shlib-undefined)
