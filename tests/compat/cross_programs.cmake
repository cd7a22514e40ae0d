# Programs for other MPIs that a cross compiler builds, from Debian's headers and libraries for the target. The test
# guest.other_abis runs them.
set(libraries ${CMAKE_SYSROOT}/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
set(headers ${CMAKE_SYSROOT}/usr/include/${CMAKE_LIBRARY_ARCHITECTURE})
# The flags come before the source, so the linker must keep a library that nobody has asked for yet.
set(flags_mpich -Wl,--no-as-needed -I${headers}/mpich -lmpich)
set(flags_openmpi -Wl,--no-as-needed -I${libraries}/openmpi/include -L${libraries}/openmpi/lib -lmpi)
set(present_mpich ${headers}/mpich/mpi.h)
set(present_openmpi ${libraries}/openmpi/include/mpi.h)

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
endforeach()
set(BOWLINE_CROSS_COMPAT ${BOWLINE_CROSS_COMPAT} PARENT_SCOPE)
