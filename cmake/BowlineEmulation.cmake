# What cannot run where an emulator runs the programs of another processor: tests/left_out_under_emulation.txt says
# which tests, and why. Each becomes a test that prints its reason and counts as skipped.
set(BOWLINE_LEFT_OUT "")
if(CMAKE_CROSSCOMPILING)
  file(STRINGS ${PROJECT_SOURCE_DIR}/tests/left_out_under_emulation.txt BOWLINE_LEFT_OUT REGEX "^[^#]")
  set_property(DIRECTORY APPEND PROPERTY
    CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/left_out_under_emulation.txt)
endif()

# bowline_skipped_test(TEST REASON)
#
# A test that prints its reason, in the words of Python's unittest, and counts as skipped.
function(bowline_skipped_test test reason)
  add_test(NAME ${test} COMMAND ${CMAKE_COMMAND} -E echo "skipped '${reason}'")
  set_tests_properties(${test} PROPERTIES SKIP_REGULAR_EXPRESSION "skipped '" LABELS left_out)
endfunction()

# bowline_leave_out(TEST RESULT)
#
# If the list has the test, adds the one that counts as skipped, and sets RESULT to ON.
function(bowline_leave_out test result)
  set(${result} OFF PARENT_SCOPE)
  foreach(line ${BOWLINE_LEFT_OUT})
    string(REGEX MATCH "^([^ ]+) +(.*)$" matched "${line}")
    if(test STREQUAL CMAKE_MATCH_1)
      bowline_skipped_test(${test} "${CMAKE_MATCH_2}")
      set(${result} ON PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# bowline_leave_out_of_gtest(EXECUTABLE PREFIX RESULT)
#
# The same for all tests PREFIXSuite.Name in the list: RESULT becomes a filter of GoogleTest that leaves them out. The
# global properties BOWLINE_LEFT_OUT_EXECUTABLES and BOWLINE_LEFT_OUT_FILTER select them for a machine that can run
# them.
function(bowline_leave_out_of_gtest executable prefix result)
  set(names "")
  string(LENGTH ${prefix} length)
  foreach(line ${BOWLINE_LEFT_OUT})
    string(REGEX MATCH "^[^ ]+" test "${line}")
    string(FIND ${test} ${prefix} place)
    if(place EQUAL 0)
      bowline_leave_out(${test} known)
      string(SUBSTRING ${test} ${length} -1 name)
      list(APPEND names ${name})
    endif()
  endforeach()
  list(JOIN names ":" names)
  set(${result} "*" PARENT_SCOPE)
  if(names)
    set(${result} "-${names}" PARENT_SCOPE)
    set_property(GLOBAL APPEND PROPERTY BOWLINE_LEFT_OUT_EXECUTABLES ${executable})
    set_property(GLOBAL APPEND_STRING PROPERTY BOWLINE_LEFT_OUT_FILTER "${names}:")
  endif()
endfunction()
