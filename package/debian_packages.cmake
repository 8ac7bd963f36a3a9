# The Debian packages of this build.  `make package` builds them.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "unscatter developers")
set(CPACK_PACKAGE_CONTACT "unscatter developers <developers@unscatter.invalid>")
set(CPACK_PACKAGE_DIRECTORY "${PROJECT_BINARY_DIR}/packages")
set(CPACK_INSTALL_PREFIX /usr)
# The settings lie in /etc and not below the prefix.
set(CPACK_SET_DESTDIR ON)
set(CPACK_STRIP_FILES ON)
# Whatever the umask of who builds.
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
                                                WORLD_EXECUTE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_COMPONENTS_ALL program system development system_development)

# The program.  It loads libcurl only if something is to be fetched, and libarchive if an archive is to be read.
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_NAME unscatter)
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_SECTION science)
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_DEPENDS "adduser, init-system-helpers (>= 1.54), libarchive13")
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_RECOMMENDS "libcurl4, ca-certificates")
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_SUGGESTS libunscatter-dev)
set(CPACK_DEBIAN_UNSCATTER_PACKAGE_CONTROL_EXTRA
    "${CMAKE_CURRENT_SOURCE_DIR}/debian/postinst;${CMAKE_CURRENT_SOURCE_DIR}/debian/prerm"
    "${CMAKE_CURRENT_SOURCE_DIR}/debian/postrm;${CMAKE_CURRENT_SOURCE_DIR}/debian/conffiles")
set(CPACK_COMPONENT_UNSCATTER_DESCRIPTION
"Trains a classifier of graphs in a way that can be undone: people, edges and
whole graphs are forgotten on request, with a certificate that others can
check.  A workspace can be served over HTTP by the unit unscatter@.service.")

# The Debian package behind each dependency that cmake/unscatter-config.cmake.in looks for.
set(package_of_Boost libboost-dev)
set(package_of_Eigen3 "libeigen3-dev (>= 3.4)")
set(package_of_OpenSSL libssl-dev)
set(package_of_PkgConfig pkg-config)
set(package_of_SQLite3 "libsqlite3-dev (>= 3.40)")
set(package_of_TBB libtbb-dev)
set(package_of_Threads libc6-dev)
set(package_of_ZLIB zlib1g-dev)
set(package_of_fmt libfmt-dev)
set(package_of_libsodium libsodium-dev)
set(package_of_nlohmann_json nlohmann-json3-dev)
file(STRINGS "${PROJECT_SOURCE_DIR}/cmake/unscatter-config.cmake.in" lines REGEX "^(find_dependency|pkg_check_modules)")
set(development_depends)
foreach(line IN LISTS lines)
  # The first word of find_dependency(Eigen3 3.4), and the last one of pkg_check_modules(... libsodium).
  string(REGEX REPLACE "^find_dependency.([A-Za-z0-9_]+).*" "\\1" name "${line}")
  string(REGEX REPLACE "^pkg_check_modules.* ([^ ]+).$" "\\1" name "${name}")
  if(NOT DEFINED package_of_${name})
    message(FATAL_ERROR "package/debian_packages.cmake does not say which Debian package has ${name}")
  endif()
  list(APPEND development_depends "${package_of_${name}}")
endforeach()
list(REMOVE_DUPLICATES development_depends)
list(JOIN development_depends ", " development_depends)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libunscatter-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${development_depends}")
# The library loads it by itself.
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS libarchive13)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SUGGESTS unscatter)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"Headers, static libraries and the CMake package of unscatter, for C++ programs
that train, predict and forget by themselves.")

include(CPack)
cpack_add_component_group(unscatter)
cpack_add_component_group(development)
cpack_add_component(program GROUP unscatter)
cpack_add_component(system GROUP unscatter)
cpack_add_component(development GROUP development)
cpack_add_component(system_development GROUP development)
