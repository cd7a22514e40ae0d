# What the toolchain files for other processors have in common: Debian's cross compiler and packages, as
# scripts/unpack-root unpacks them, and QEMU to run what they make. Set before:
#
#   architecture  Debian's name of the processor
#   triplet       the compiler's name of it
#   emulator      QEMU's name of it
set(BOWLINE_FOREIGN_ROOT /var/tmp/bowline-${architecture}
  CACHE PATH "Where scripts/unpack-root ${architecture} has unpacked Debian's packages")
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSROOT ${BOWLINE_FOREIGN_ROOT}/root)
set(CMAKE_C_COMPILER ${BOWLINE_FOREIGN_ROOT}/bin/${triplet}-gcc-12)
set(CMAKE_CXX_COMPILER ${BOWLINE_FOREIGN_ROOT}/bin/${triplet}-g++-12)
set(CMAKE_Fortran_COMPILER ${BOWLINE_FOREIGN_ROOT}/bin/${triplet}-gfortran-12)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${emulator}-static -L ${CMAKE_SYSROOT})
if(NOT EXISTS ${CMAKE_CXX_COMPILER})
  message(FATAL_ERROR "There is no cross compiler in ${BOWLINE_FOREIGN_ROOT}/bin: "
    "scripts/unpack-root ${architecture} unpacks one")
endif()
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES BOWLINE_FOREIGN_ROOT)

# Programs are those of this machine, all else is the target's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${CMAKE_SYSROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${CMAKE_SYSROOT}/usr/lib/${triplet}/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig)
