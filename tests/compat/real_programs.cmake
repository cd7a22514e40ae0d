# Programs that Debian has built for MPICH and for Open MPI.

# The testers of ScaLAPACK (package scalapack-mpi-test), each on four ranks with the input that it ships. Those of the
# first list run for less than a second; the rest with `ctest -C Long`, as `check --all` does. Both builds of a tester
# make the same calls, so each of the first list runs in one of its builds, in turns, and in the other one with
# `ctest -C Long`.
set(short_testers
  cpb1tst cpb2tst cpb3tst dpb1tst dpb2tst dpb3tst spb1tst spb2tst spb3tst zpb1tst zpb2tst zpb3tst
  xsbrd xsdblu xsdtlu xsgblu xshrd xsinv xsptllt xsqr xsnep xdgblu xddblu xdptllt xdinv xdlu xcdtlu xcgblu
  xzbrd xzdblu xzdtlu xzgblu xzhrd xzinv xzpbllt xzptllt xzqr xztrd)
set(long_testers
  xCbtest xFbtest
  xcbrd xcdblu xcevc xcgsep xcheevr xchrd xcinv xcllt xcls xclu xcnep xcpbllt xcptllt xcqr xcsep xctrd
  xdbrd xddtlu xdgsep xdhrd xdhseqr xdllt xdls xdnep xdpbllt xdqr xdsep xdsvd xdsyevr xdtrd
  xsgsep xshseqr xsllt xsls xslu xspbllt xssep xssvd xssyevr xstrd
  xzevc xzgsep xzheevr xzllt xzls xzlu xznep xzsep)

foreach(loaded set_estimate repeatable_sums)
  add_library(compat_${loaded} SHARED ${loaded}.c)
  target_link_libraries(compat_${loaded} PRIVATE ${CMAKE_DL_LIBS})
endforeach()

# real_program_test(NAME SCRIPT script ARGS argument... [LONG])
function(real_program_test name)
  cmake_parse_arguments(test "LONG" "SCRIPT" "ARGS" ${ARGN})
  set(when "")
  if(test_LONG)
    set(when CONFIGURATION Long)
  endif()
  bowline_script_test(compat.${name} SCRIPT ${test_SCRIPT} LABELS compat PROCESSORS 2 TIMEOUT 950 ${when}
    ARGS ${test_ARGS} ENVIRONMENT MPIEXEC=$<TARGET_FILE:mpiexec> SET_ESTIMATE=$<TARGET_FILE:compat_set_estimate>
      REPEATABLE_SUMS=$<TARGET_FILE:compat_repeatable_sums>)
  set_tests_properties(compat.${name} PROPERTIES SKIP_REGULAR_EXPRESSION "OK .skipped=1.")
endfunction()

foreach(abi mpich openmpi)
  file(GLOB installed /usr/lib/*/scalapack/${abi}-tests)
  if(NOT installed)
    message(STATUS "Tests compat.scalapack.${abi}.* are left out: scripts/setup check installs scalapack-mpi-test")
    continue()
  endif()
  set(turn 0)
  if(abi STREQUAL openmpi)
    set(turn 1)
  endif()
  foreach(tester ${short_testers})
    math(EXPR turn "1 - ${turn}")
    if(turn)
      real_program_test(scalapack.${abi}.${tester} SCRIPT scalapack_test.py ARGS ${abi} ${tester})
    else()
      real_program_test(scalapack.${abi}.${tester} SCRIPT scalapack_test.py ARGS ${abi} ${tester} LONG)
    endif()
  endforeach()
  foreach(tester ${long_testers})
    real_program_test(scalapack.${abi}.${tester} SCRIPT scalapack_test.py ARGS ${abi} ${tester} LONG)
  endforeach()
endforeach()

foreach(program hpcc netpipe_mpich netpipe_openmpi coarrays_mpich coarrays_openmpi solve_mpich solve_openmpi)
  real_program_test(programs.${program} SCRIPT programs_test.py ARGS ProgramsTest.test_${program})
endforeach()
