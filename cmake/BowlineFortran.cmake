# Looks for a Fortran compiler. The library for Fortran is C++ and is built without one; the modules and the tests need
# it.
#
#   BOWLINE_FORTRAN             whether modules are compiled and tests run in this build
#   BOWLINE_FORTRAN_COMPILER    the compiler that mpifort calls
include(CheckLanguage)
if(NOT DEFINED CMAKE_Fortran_COMPILER AND NOT DEFINED ENV{FC})
  find_program(BOWLINE_GFORTRAN gfortran)  # before f95, whose meaning differs
  if(BOWLINE_GFORTRAN)
    set(CMAKE_Fortran_COMPILER ${BOWLINE_GFORTRAN})
  endif()
endif()
check_language(Fortran)
set(BOWLINE_FORTRAN OFF)
set(BOWLINE_FORTRAN_COMPILER gfortran)
if(NOT CMAKE_Fortran_COMPILER)
  message(STATUS "Fortran modules and tests of Fortran: left out: there is no Fortran compiler (package gfortran)")
else()
  set(BOWLINE_FORTRAN_COMPILER ${CMAKE_Fortran_COMPILER})
  if("thread" IN_LIST BOWLINE_SANITIZE)
    message(STATUS "Fortran modules and tests of Fortran: left out, because the tests with threads need none")
  else()
    enable_language(Fortran)
    set(BOWLINE_FORTRAN ON)
  endif()
endif()
