# bowline_names(PROGRAM [NAME...])
#
# Installs links to PROGRAM, which is built in the current folder, under these names too, and under each name with
# .bowline behind it: beside other MPIs of a machine, mpiexec.bowline is this one, and a target for update-alternatives.
# Its further names are in the global property bowline_names_PROGRAM, for manual pages and completions.
function(bowline_names program)
  set(names ${ARGN})
  foreach(name ${program} ${ARGN})
    list(APPEND names ${name}.bowline)
  endforeach()
  foreach(name ${names})
    file(CREATE_LINK ${program} ${CMAKE_CURRENT_BINARY_DIR}/${name} SYMBOLIC)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${name} TYPE BIN)
  endforeach()
  set_property(GLOBAL PROPERTY bowline_names_${program} ${names})
endfunction()
