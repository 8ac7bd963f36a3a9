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
# code is optimised less, and gains from sixteen.  With AROUND, for code around the library, a target is cut into groups
# of at most twenty, of equal size.  Such a group takes GCC up to 40 s and 1.2 GB.  Larger ones would keep one processor
# waiting for the other at the end.
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
    get_target_property(sources ${target} SOURCES)
    list(FILTER sources INCLUDE REGEX "\\.cc$")
    list(LENGTH sources count)
    math(EXPR groups "(${count} + 19) / 20")
    math(EXPR size "(${count} + ${groups} - 1) / ${groups}")
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# For code around the library, which does little work itself.  It compiles a third faster with less optimisation.  The
# library stays optimised.  An argument after the name is the level in the release preset; the default is -O1.
function(unscatter_quick_compile target)
  if(UNSCATTER_SANITIZE)
    target_compile_options(${target} PRIVATE -O0)
  elseif(CMAKE_BUILD_TYPE STREQUAL "Release")
    set(level -O1)
    if(ARGC GREATER 1)
      set(level ${ARGV1})
    endif()
    target_compile_options(${target} PRIVATE ${level})
  endif()
endfunction()
