# Compile options shared by every target of the project.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

find_program(UNSCATTER_CCACHE ccache)
if(UNSCATTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${UNSCATTER_CCACHE}")
endif()

# Options for our own code.  Third-party headers come in as SYSTEM includes and give no warnings.
function(unscatter_compile_options target)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
                                           -Wnon-virtual-dtor -Wold-style-cast -Woverloaded-virtual -Wundef)
  # The expression a*b+c must round twice everywhere: embeddings are compared bit for bit, across edits and across
  # machines.
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  if(UNSCATTER_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
  endif()
  if(UNSCATTER_SANITIZE)
    target_link_options(${target} PUBLIC -fsanitize=${UNSCATTER_SANITIZE})
    target_compile_options(${target} PRIVATE -fsanitize=${UNSCATTER_SANITIZE} -fno-omit-frame-pointer
                                             -fno-sanitize-recover=all)
    # Three checks of every memory access are switched off.  AddressSanitizer makes them too, or no machine that we
    # build for needs them.  Without them, code full of Eigen compiles faster.
    target_compile_options(${target} PRIVATE -fno-sanitize=null,alignment,object-size)
    # GCC 12 loses track of std::optional in instrumented code.  The release preset keeps the warning.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized)
    endif()
  endif()
endfunction()

# Most of the compile time goes into third-party headers (Eigen, GoogleTest, CLI11, JSON) and what is instantiated from
# them.  Sources that are compiled together pay for that once.  Their unnamed namespaces become one, so names of helpers
# must differ within a target: two of the same name do not compile.
#
# Optimised code gains little from more than eight sources: there most of the time goes into optimising.  Instrumented
# code is optimised less, and gains from sixteen.  With AROUND, for code around the library, all sources of a target are
# compiled at once, because each further group compiles the same templates of the standard library again.  Such a group
# takes GCC and clang up to a minute of processor time.  docs/testing.md has the figures.
function(unscatter_compile_together target)
  cmake_parse_arguments(ARG "AROUND" "" "" ${ARGN})
  if(NOT UNSCATTER_UNITY)
    return()
  endif()
  set(size 8)
  if(UNSCATTER_SANITIZE)
    set(size 16)
  endif()
  if(ARG_AROUND)
    set(size 0)  # no limit
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# For code around the library, which does little work itself.  It compiles a third faster with less optimisation.  The
# library stays optimised.  An argument after the name is the level in the release preset; the default is -O1.  With
# sanitizers it has no line numbers of its own, which take clang about a seventh of the time.  Reports name its
# functions, and the lines of the library.
function(unscatter_quick_compile target)
  if(UNSCATTER_SANITIZE)
    target_compile_options(${target} PRIVATE -O0 -g0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(level -O1)
    if(ARGC GREATER 1)
      set(level ${ARGV1})
    endif()
    target_compile_options(${target} PRIVATE ${level})
  endif()
endfunction()
