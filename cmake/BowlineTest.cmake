# Functions that turn a few words into ctest tests.
include(BowlineEmulation)

# Whether programs run many times as long as they do for users.
set(BOWLINE_SLOW OFF)
if(BOWLINE_SANITIZE OR CMAKE_CROSSCOMPILING)
  set(BOWLINE_SLOW ON)
endif()

# What the tests with the label threads run, and nothing else: ThreadSanitizer's build needs no more.
add_custom_target(threads_tests)

# A test counts as no more processors than there are. Otherwise each test with more ranks than cores would run alone,
# and a core would idle whenever its ranks wait.
cmake_host_system_information(RESULT processor_count QUERY NUMBER_OF_LOGICAL_CORES)

# bowline_processors(TEST NUMBER)
#
# How many processors a test counts as: as many as it has ranks. Tests that need more of them begin earlier, so that the
# small ones fill what these leave: ctest takes those with the greatest COST first.
function(bowline_processors test number)
  if(number GREATER processor_count)
    set(number ${processor_count})
  endif()
  set_tests_properties(${test} PROPERTIES PROCESSORS ${number} COST ${number})
endfunction()

# bowline_gtest(NAME PREFIX prefix LABEL label SOURCES file... [LIBRARIES target...] [EACH_ALONE])
#
# An executable of GoogleTest tests, and one ctest test PREFIXsuite.name for each of them. Suites whose name begins with
# "Threads" get the label threads instead: gtest_discover_tests loses all but the first of several labels.
# Where there is a suite with threads, a build with ThreadSanitizer leaves away the files *_test.cpp without one.
# Builds that compile many files of a layer at a time compile eight of these, in any of which all names must differ.
# Processes start slowly under AddressSanitizer and in an emulator, so there one ctest test PREFIXpartN runs the tests
# of about four files in a process, unless EACH_ALONE says that the tests must not share one.
function(bowline_gtest name)
  cmake_parse_arguments(gtest "EACH_ALONE" "PREFIX;LABEL" "SOURCES;LIBRARIES" ${ARGN})
  set(threads_sources ${gtest_SOURCES})
  list(FILTER threads_sources INCLUDE REGEX "_test\\.cpp$")
  foreach(source ${threads_sources})
    file(STRINGS ${source} threads REGEX "^TEST.*\\(Threads")
    if(NOT threads)
      list(REMOVE_ITEM threads_sources ${source})
    endif()
  endforeach()
  if(threads_sources AND "thread" IN_LIST BOWLINE_SANITIZE)
    list(FILTER gtest_SOURCES EXCLUDE REGEX "_test\\.cpp$")
    list(APPEND gtest_SOURCES ${threads_sources})
  endif()
  add_executable(${name} ${gtest_SOURCES})
  list(LENGTH gtest_SOURCES number)
  set_target_properties(${name} PROPERTIES UNITY_BUILD "${BOWLINE_TESTS_UNITY}" UNITY_BUILD_BATCH_SIZE 8)
  target_link_libraries(${name} PRIVATE
    ${gtest_LIBRARIES} bowline_test_support bowline_options GTest::gtest_main Threads::Threads)
  if(threads_sources)
    add_dependencies(threads_tests ${name})
  endif()
  bowline_leave_out_of_gtest(${name} ${gtest_PREFIX} filter)
  if(("address" IN_LIST BOWLINE_SANITIZE OR CMAKE_CROSSCOMPILING) AND NOT gtest_EACH_ALONE)
    math(EXPR parts "(${number} + 3) / 4")
    math(EXPR last "${parts} - 1")
    foreach(part RANGE ${last})
      add_test(NAME ${gtest_PREFIX}part${part} COMMAND ${name})
      set_tests_properties(${gtest_PREFIX}part${part} PROPERTIES LABELS ${gtest_LABEL} TIMEOUT 600
        ENVIRONMENT "GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${part};GTEST_FILTER=${filter}")
    endforeach()
    return()
  endif()
  string(REGEX REPLACE "^[*]$" "-" without "${filter}")
  gtest_discover_tests(${name}
    NO_PRETTY_VALUES
    TEST_PREFIX ${gtest_PREFIX}
    TEST_FILTER ${without}:Threads*
    TEST_LIST ${name}_plain
    PROPERTIES LABELS ${gtest_LABEL} TIMEOUT 60
    DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${name}
    NO_PRETTY_VALUES
    TEST_PREFIX ${gtest_PREFIX}
    TEST_FILTER Threads*
    TEST_LIST ${name}_threads
    PROPERTIES LABELS threads TIMEOUT 120
    DISCOVERY_TIMEOUT 60)
endfunction()

# bowline_unit_tests(LAYER)
#
# Makes unit_LAYER from tests/unit/LAYER/*_test.cpp, linked with bowline_LAYER. A folder that has its own CMakeLists.txt
# builds itself.
function(bowline_unit_tests layer)
  set(folder ${PROJECT_SOURCE_DIR}/tests/unit/${layer})
  if(EXISTS ${folder}/CMakeLists.txt)
    add_subdirectory(${folder} ${PROJECT_BINARY_DIR}/tests/unit/${layer})
    return()
  endif()
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*_test.cpp)
  if(sources)
    bowline_gtest(unit_${layer} PREFIX unit.${layer}. LABEL unit SOURCES ${sources} LIBRARIES bowline_${layer})
  endif()
endfunction()

# bowline_mpi_program(NAME SOURCE)
#
# An executable that is linked with libmpi_abi.so as users' programs are: it sees mpi.h and nothing else of Bowline.
function(bowline_mpi_program name source)
  add_executable(${name} ${source})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(${name} PRIVATE mpi_abi bowline_options Threads::Threads)
endfunction()

# bowline_mpi_test(NAME SOURCE source RANKS n... [THOROUGH n...] [ARGS arg...] [TIMEOUT seconds] [LABELS label...]
#                  [TEST name] [ENVIRONMENT VAR=value...] [ASAN_OPTIONS key=value...] [WAITS])
#
# Builds the program NAME (once; SOURCE may be left out after that) and runs it under the built mpiexec, once for each
# number of ranks, as the test mpi.NAME.n. mpiexec gives up ten seconds before ctest would, so that it can say what
# hangs.
# TEST names the tests otherwise than the program, for several argument lists or environments.
# THOROUGH are numbers of ranks for `ctest -C Long` only: those that differ from others little, and take long.
# ASAN_OPTIONS stand where SOURCE does: AddressSanitizer's options for the program, whatever runs it.
# WAITS says that the ranks sleep most of the time: the test counts as one processor.
# Sanitizers look at each access to memory, of which another number of ranks makes few new ones, but the longest tests,
# and an emulator is slow: with them each test runs with the largest number up to three (or its smallest), the others up
# to five are for `ctest -C Long`, and more are for nobody.
function(bowline_mpi_test name)
  set(lists RANKS THOROUGH ARGS LABELS ENVIRONMENT ASAN_OPTIONS)
  cmake_parse_arguments(test "WAITS" "SOURCE;TIMEOUT;TEST" "${lists}" ${ARGN})
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  if(NOT test_TEST)
    set(test_TEST ${name})
  endif()
  if(NOT TARGET ${name})
    bowline_mpi_program(${name} ${test_SOURCE})
    list(JOIN test_ASAN_OPTIONS ":" asan_options)
    set_target_properties(${name} PROPERTIES asan_options "${asan_options}")
  endif()
  get_target_property(asan_options ${name} asan_options)
  if(asan_options)
    list(APPEND test_ENVIRONMENT ASAN_OPTIONS=${asan_options})
  endif()
  if("threads" IN_LIST test_LABELS)
    add_dependencies(threads_tests ${name} mpiexec)
  endif()
  math(EXPR patience "${test_TIMEOUT} - 10")
  list(GET test_RANKS 0 sanitized)
  foreach(ranks ${test_RANKS})
    if(ranks LESS_EQUAL 3 AND ranks GREATER sanitized)
      set(sanitized ${ranks})
    endif()
  endforeach()
  foreach(ranks ${test_RANKS} ${test_THOROUGH})
    set(when "")
    if(ranks IN_LIST test_THOROUGH)
      set(when CONFIGURATIONS Long)
    endif()
    if(BOWLINE_SLOW AND ranks GREATER 5)
      continue()
    elseif(BOWLINE_SLOW AND NOT ranks EQUAL sanitized)
      set(when CONFIGURATIONS Long)
    endif()
    bowline_leave_out(mpi.${test_TEST}.${ranks} left_out)
    if(left_out)
      continue()
    endif()
    add_test(NAME mpi.${test_TEST}.${ranks} ${when}
      COMMAND mpiexec --timeout ${patience} -n ${ranks}
        ${CMAKE_CROSSCOMPILING_EMULATOR} $<TARGET_FILE:${name}> ${test_ARGS})
    set_tests_properties(mpi.${test_TEST}.${ranks} PROPERTIES
      ENVIRONMENT "${test_ENVIRONMENT}" LABELS "mpi;${test_LABELS}" TIMEOUT ${test_TIMEOUT})
    if(test_WAITS)
      bowline_processors(mpi.${test_TEST}.${ranks} 1)
    else()
      bowline_processors(mpi.${test_TEST}.${ranks} ${ranks})
    endif()
  endforeach()
endfunction()

# bowline_script_test(NAME SCRIPT script [ARGS arg...] [ENVIRONMENT VAR=value...] [LABELS label...] [TIMEOUT seconds]
#                     [PROCESSORS n] [CONFIGURATION name] [MANY_JOBS] [ALWAYS])
#
# Runs a Python unittest file, or the classes and methods of it that ARGS name. PROCESSORS: of a test that computes on
# several most of the time; one that waits, or starts one process after the other, counts as one. A test with a
# CONFIGURATION is only run by `ctest -C name`. With sanitizers, under which jobs start slowly, a test with MANY_JOBS is
# for `ctest -C Long`. Where programs need an emulator only one that is ALWAYS run does not count as skipped.
function(bowline_script_test name)
  set(single SCRIPT TIMEOUT PROCESSORS CONFIGURATION)
  cmake_parse_arguments(test "MANY_JOBS;ALWAYS" "${single}" "ARGS;ENVIRONMENT;LABELS" ${ARGN})
  if(test_MANY_JOBS AND BOWLINE_SANITIZE)
    set(test_CONFIGURATION Long)
  endif()
  if(NOT test_TIMEOUT)
    set(test_TIMEOUT 120)
  endif()
  if(NOT test_PROCESSORS)
    set(test_PROCESSORS 1)
  endif()
  if(CMAKE_CROSSCOMPILING AND NOT test_ALWAYS)
    bowline_skipped_test(${name} "a script starts programs that only an emulator can run")
    return()
  endif()
  # The path, because an emulator would run a target.
  add_test(NAME ${name} COMMAND ${Python3_EXECUTABLE} -B ${CMAKE_CURRENT_SOURCE_DIR}/${test_SCRIPT} -v ${test_ARGS}
    CONFIGURATIONS ${test_CONFIGURATION})
  set_tests_properties(${name} PROPERTIES
    ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests/support;${test_ENVIRONMENT}" LABELS "${test_LABELS}"
    TIMEOUT ${test_TIMEOUT})
  bowline_processors(${name} ${test_PROCESSORS})
endfunction()
