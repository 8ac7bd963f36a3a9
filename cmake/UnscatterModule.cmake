# One target per module, layers checked at configure time.
#
#   unscatter_add_module(NAME LAYER n [LABORATORY | PROGRAM]
#     DEPENDS module...            other modules; each must sit on a lower layer
#     PUBLIC_LINKS target...       third-party targets that appear in our public headers
#     PRIVATE_LINKS target...      third-party targets used by sources only
#     HEADERS file...              relative to include/unscatter/NAME
#     SOURCES file...)             relative to the calling folder
#
# LABORATORY marks a module that helps to find out what the library should do: experiments, schemes that were tried.  It
# has no public headers, it is not installed, and unscatter::unscatter does not link it.  No module without this mark
# may depend on it.
#
# PROGRAM marks a module that is a part of the installed program and not of the library: users of the library need not
# find what it links.  It has no public headers, and no module may depend on it.
function(unscatter_add_module name)
  cmake_parse_arguments(ARG "LABORATORY;PROGRAM" "LAYER" "DEPENDS;PUBLIC_LINKS;PRIVATE_LINKS;HEADERS;SOURCES" ${ARGN})
  if(ARG_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "unscatter_add_module(${name}): unexpected ${ARG_UNPARSED_ARGUMENTS}")
  endif()
  if((ARG_LABORATORY OR ARG_PROGRAM) AND ARG_HEADERS)
    message(FATAL_ERROR "unscatter_add_module(${name}): a module of laboratory or program has no public headers")
  endif()
  set(target unscatter_${name})
  list(TRANSFORM ARG_HEADERS PREPEND "${PROJECT_SOURCE_DIR}/include/unscatter/${name}/")
  add_library(${target} STATIC ${ARG_SOURCES} ${ARG_HEADERS})
  add_library(unscatter::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} UNSCATTER_LAYER ${ARG_LAYER}
                                             UNSCATTER_LABORATORY ${ARG_LABORATORY} UNSCATTER_PROGRAM ${ARG_PROGRAM})
  foreach(dependency IN LISTS ARG_DEPENDS)
    if(NOT TARGET unscatter_${dependency})
      message(FATAL_ERROR "layer check: ${name} depends on ${dependency}, which does not exist (yet): "
                          "modules are added from the lowest layer up")
    endif()
    get_target_property(layer unscatter_${dependency} UNSCATTER_LAYER)
    if(NOT layer LESS ARG_LAYER)
      message(FATAL_ERROR "layer check: ${name} (layer ${ARG_LAYER}) must not depend on ${dependency} (layer ${layer})")
    endif()
    get_target_property(program unscatter_${dependency} UNSCATTER_PROGRAM)
    if(program)
      message(FATAL_ERROR "layer check: ${name} must not depend on ${dependency}, which is part of the program")
    endif()
    get_target_property(laboratory unscatter_${dependency} UNSCATTER_LABORATORY)
    if(laboratory AND NOT ARG_LABORATORY)
      message(FATAL_ERROR "layer check: ${name} is installed and must not depend on ${dependency}, "
                          "which is part of the laboratory")
    endif()
    target_link_libraries(${target} PUBLIC unscatter_${dependency})
  endforeach()
  target_include_directories(${target}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC_LINKS} PRIVATE ${ARG_PRIVATE_LINKS})
  unscatter_compile_options(${target})
  unscatter_compile_together(${target})
  if(NOT ARG_LABORATORY AND NOT ARG_PROGRAM)
    set_property(GLOBAL APPEND PROPERTY UNSCATTER_MODULES ${name})
  endif()
endfunction()

# unscatter::unscatter links every module but those of the laboratory.
function(unscatter_add_umbrella)
  get_property(modules GLOBAL PROPERTY UNSCATTER_MODULES)
  list(TRANSFORM modules PREPEND unscatter_ OUTPUT_VARIABLE targets)
  add_library(unscatter_all INTERFACE)
  add_library(unscatter::unscatter ALIAS unscatter_all)
  set_target_properties(unscatter_all PROPERTIES EXPORT_NAME unscatter)
  target_link_libraries(unscatter_all INTERFACE ${targets})
endfunction()

# Links the modules before the target's own objects.  Both contain copies of the same inline functions and templates,
# above all those of Eigen, and the linker keeps the first copy.  So the program runs what the library was compiled to,
# and not copies that were compiled quickly.
# Modules of the laboratory that the target needs follow its name.
function(unscatter_link_library_first target)
  get_property(modules GLOBAL PROPERTY UNSCATTER_MODULES)
  list(APPEND modules ${ARGN})
  list(TRANSFORM modules REPLACE "(.+)" "$<TARGET_FILE:unscatter_\\1>" OUTPUT_VARIABLE archives)
  target_link_options(${target} PRIVATE LINKER:--whole-archive ${archives} LINKER:--no-whole-archive)
endfunction()

# find_package(unscatter) for others: targets, headers, package files.
function(unscatter_install)
  include(CMakePackageConfigHelpers)
  get_property(modules GLOBAL PROPERTY UNSCATTER_MODULES)
  list(TRANSFORM modules PREPEND unscatter_ OUTPUT_VARIABLE targets)
  set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/unscatter")
  install(TARGETS ${targets} unscatter_all EXPORT unscatter_targets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
  install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/unscatter" DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
          COMPONENT development)
  install(EXPORT unscatter_targets NAMESPACE unscatter:: DESTINATION ${package_folder} FILE unscatter-targets.cmake
          COMPONENT development)
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/unscatter-config.cmake.in"
                                "${PROJECT_BINARY_DIR}/unscatter-config.cmake" INSTALL_DESTINATION ${package_folder})
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/unscatter-config-version.cmake"
                                   COMPATIBILITY SameMinorVersion)
  install(FILES "${PROJECT_BINARY_DIR}/unscatter-config.cmake" "${PROJECT_BINARY_DIR}/unscatter-config-version.cmake"
          DESTINATION ${package_folder} COMPONENT development)
endfunction()
