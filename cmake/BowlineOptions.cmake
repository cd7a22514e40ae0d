# Compiler settings that every target of the project shares, as the interface target bowline_options.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# ccache has what was compiled before; it is used where it is installed and no launcher is set. It needs no options: a
# source that includes many files of a layer (a unity build) names them by absolute paths, which are the same in the
# same clone. CCACHE_BASEDIR=FOLDER and CCACHE_NOHASHDIR=1 in the environment let clones below FOLDER share what they
# compile; debuggers may then show the files of another clone.
find_program(BOWLINE_CCACHE ccache)
if(BOWLINE_CCACHE)
  foreach(language C CXX)
    if(NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
      set(CMAKE_${language}_COMPILER_LAUNCHER ${BOWLINE_CCACHE})
    endif()
  endforeach()
endif()
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

# Programs bring the C++ library of the compiler that has built them, which may be older or newer than Bowline's, and
# the first one that is loaded serves everybody. With its own inside, Bowline neither needs the program's nor disturbs
# it, a C program starts without one, and the build runs where none is installed. Nothing of it crosses the border: the
# interfaces are C, no exception leaves them, and its symbols are hidden. The unwinder stays shared (libgcc_s, which the
# C library itself needs), because a process must not have two.
option(BOWLINE_STATIC_CXX "Link the C++ library statically; packages of a distribution share the system's instead" OFF)

add_library(bowline_options INTERFACE)
target_link_options(bowline_options INTERFACE -Wl,--as-needed)
if(BOWLINE_STATIC_CXX)
  # What is not used goes: of what is used, nothing needs a C library newer than glibc 2.34 where GCC 12 was built on
  # glibc 2.36.
  target_link_options(bowline_options INTERFACE
    $<$<LINK_LANGUAGE:CXX>:-static-libstdc++> -Wl,--exclude-libs,libstdc++.a -Wl,--gc-sections)
endif()
target_compile_options(bowline_options INTERFACE
  -Wall -Wextra -Wpedantic -Wno-missing-field-initializers
  # Clang's warning knows no "local". Files that are compiled together see each other's names.
  $<$<CXX_COMPILER_ID:GNU>:-Wshadow=local> $<$<NOT:$<OR:$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>>:-Wshadow>
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual>
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:Clang>>:-Wno-gnu-zero-variadic-macro-arguments>
  # Valgrind 3.19 cannot read clang's DWARF 5.
  $<$<CXX_COMPILER_ID:Clang>:-fdebug-default-version=4>
  # g++ 12 takes a std::string's moves for overlapping copies (GCC bug 105651).
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>>:-Wno-restrict>
  # It takes sources that are compiled together for headers.
  $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CXX_COMPILER_ID:GNU>,$<BOOL:${CMAKE_UNITY_BUILD}>>:-Wno-subobject-linkage>
  $<$<BOOL:${BOWLINE_WERROR}>:-Werror>)
if(BOWLINE_SANITIZE)
  string(REPLACE ";" "," sanitizers "${BOWLINE_SANITIZE}")
  # Checks of undefined behaviour make compiling a third longer. Targets and folders whose property
  # BOWLINE_BEHAVIOUR_UNCHECKED is set do without.
  define_property(TARGET PROPERTY BOWLINE_BEHAVIOUR_UNCHECKED INHERITED)
  target_compile_options(bowline_options INTERFACE
    -fsanitize=${sanitizers} -fno-omit-frame-pointer -fno-sanitize-recover=all
    $<$<BOOL:$<TARGET_PROPERTY:BOWLINE_BEHAVIOUR_UNCHECKED>>:-fno-sanitize=undefined>)
  target_link_options(bowline_options INTERFACE -fsanitize=${sanitizers})
endif()
# For sources whose types debuggers need in every build. What is installed does not say where it was built.
set(BOWLINE_DEBUG_TYPES
  -g -fdebug-prefix-map=${PROJECT_BINARY_DIR}=build -fdebug-prefix-map=${PROJECT_SOURCE_DIR}=.)
