# SPDX-License-Identifier: Apache-2.0
# `cpack` in the build folder makes Debian packages: libwinnow-dev (headers, CMake and pkg-config files), and, where the
# program is built, winnow (the program and its manual page). What depends on the machine it runs on is in
# cmake/debian.cmake, what Debian wants of the files in cmake/debian_files.cmake.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME winnow)
set(CPACK_PACKAGE_VENDOR winnow)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "background deletion of large trees of rows")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PROJECT_CONFIG_FILE "${PROJECT_SOURCE_DIR}/cmake/debian.cmake")
set(CPACK_PRE_BUILD_SCRIPTS "${PROJECT_SOURCE_DIR}/cmake/debian_files.cmake")
set(CPACK_WINNOW_SOURCE_DIR "${PROJECT_SOURCE_DIR}")

set(CPACK_COMPONENTS_ALL development)
if(TARGET winnow_program)
    list(APPEND CPACK_COMPONENTS_ALL program)
endif()
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "winnow maintainers <maintainers@winnow.invalid>" CACHE STRING
    "maintainer of the Debian packages")
mark_as_advanced(CPACK_DEBIAN_PACKAGE_MAINTAINER)

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libwinnow-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"C++20 headers with which a program declares its tables, proves at compile
time that whole trees of rows can be deleted, and deletes them in the
background, in short transactions, on PostgreSQL and SQLite.
.
This package contains the headers, the CMake and pkg-config files, and what
is needed to write plugins for the program winnow.")

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME winnow)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION database)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"winnow deletes whole trees of rows in the background, in short transactions,
copies rows between databases, and says what it would do before it does it.
.
This package contains the program. Which tables there are it learns from
plugins, which libwinnow-dev helps to write.")

include(CPack)
