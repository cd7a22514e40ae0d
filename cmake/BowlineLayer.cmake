# bowline_layer(NAME SOURCES ... [KNOWS layer ...] [LIBRARIES target ...])
#
# Makes the static library bowline_NAME from the folder src/NAME. Its headers are included as "NAME/file.hpp", and only
# by layers that list NAME under KNOWS (directly or through another layer): each layer's include directory holds nothing
# but a link to its own folder, so an include that goes up the layers is not found by the compiler.
function(bowline_layer name)
  cmake_parse_arguments(layer "" "" "SOURCES;KNOWS;LIBRARIES" ${ARGN})
  set(include_root ${PROJECT_BINARY_DIR}/layers/${name})
  file(MAKE_DIRECTORY ${include_root})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${include_root}/${name} SYMBOLIC)

  add_library(bowline_${name} STATIC ${layer_SOURCES})
  target_include_directories(bowline_${name} PUBLIC ${include_root})
  list(TRANSFORM layer_KNOWS PREPEND bowline_)
  target_link_libraries(bowline_${name} PUBLIC ${layer_KNOWS} PRIVATE bowline_options ${layer_LIBRARIES})
  # Only MPI_*, PMPI_*, the private interface and the record for debuggers leave the library; a hidden default also lets
  # the compiler bind calls directly.
  set_target_properties(bowline_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endfunction()
