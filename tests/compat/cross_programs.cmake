# Programs for other MPIs that a cross compiler builds, from Debian's headers and libraries for the target. The test
# guest.other_abis runs them. guest.scalapack needs set_estimate.c.
set(libraries ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(headers ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
# The flags come before the source, so the linker must keep a library that nobody has asked for yet.
set(headers_mpich -I${headers}/mpich)
set(headers_openmpi -I${libraries}/openmpi/include)
set(flags_mpich -Wl,--no-as-needed ${headers_mpich} -lmpich)
set(flags_openmpi -Wl,--no-as-needed ${headers_openmpi} -L${libraries}/openmpi/lib -lmpi)
set(fortran_flags_mpich -Wl,--no-as-needed ${headers_mpich} -lmpichfort)
set(fortran_flags_openmpi -Wl,--no-as-needed ${headers_openmpi} -L${libraries}/openmpi/lib -lmpi_mpifh)
set(present_mpich ${headers}/mpich/mpi.h)
set(present_openmpi ${libraries}/openmpi/include/mpi.h)

set(fortran_tests ${PROJECT_SOURCE_DIR}/tests/fortran)
set(BOWLINE_CROSS_COMPAT "")
foreach(abi mpich openmpi)
  if(NOT EXISTS ${present_${abi}})
    message(STATUS "Programs for the ABI ${abi} are left out: there is no ${present_${abi}} (scripts/setup arm-guest)")
    continue()
  endif()
  foreach(program messages objects callbacks)
    foreign_program(${program} ${abi} COMPILER ${CMAKE_C_COMPILER} --sysroot=${CMAKE_SYSROOT}
      SOURCE ${program}.c FLAGS -std=c11 ${flags_${abi}})
    list(APPEND BOWLINE_CROSS_COMPAT ${CMAKE_CURRENT_BINARY_DIR}/${program}.${abi})
  endforeach()
  if(BOWLINE_FORTRAN)
    foreign_fortran_program(calls mpif ${abi}
      COMPILER ${CMAKE_Fortran_COMPILER} --sysroot=${CMAKE_SYSROOT} ${fortran_flags_${abi}}
      SOURCE ${CMAKE_CURRENT_SOURCE_DIR}/calls.F90)
    list(APPEND BOWLINE_CROSS_COMPAT ${CMAKE_CURRENT_BINARY_DIR}/calls.mpif.${abi})
  endif()
endforeach()
set(BOWLINE_CROSS_COMPAT ${BOWLINE_CROSS_COMPAT} PARENT_SCOPE)

add_library(compat_set_estimate SHARED set_estimate.c)
target_link_libraries(compat_set_estimate PRIVATE ${CMAKE_DL_LIBS})
