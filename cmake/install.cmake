# SPDX-License-Identifier: Apache-2.0
# Headers, one export file per target, the package's config and version file, and pkg-config files: component
# `development`. The program `winnow` and its manual page: component `program`.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Nothing but headers and text: the same for every architecture, so share/ and not lib/.
set(winnow_cmake_dir "${CMAKE_INSTALL_DATADIR}/cmake/winnow")
set(winnow_pkgconfig_dir "${CMAKE_INSTALL_DATADIR}/pkgconfig")

# The pkg-config files find the headers from where they are themselves: the installation can be moved.
file(RELATIVE_PATH pkgconfig_to_prefix "/${winnow_pkgconfig_dir}" "/")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")

foreach(name IN LISTS WINNOW_LIBRARIES)
    set(target winnow_${name})
    if(name STREQUAL "winnow")
        set(target winnow)
    endif()
    install(TARGETS ${target} EXPORT winnow-${name}-targets FILE_SET HEADERS COMPONENT development)
    install(EXPORT winnow-${name}-targets NAMESPACE winnow:: DESTINATION "${winnow_cmake_dir}" COMPONENT development)

    configure_file("${PROJECT_SOURCE_DIR}/cmake/winnow-${name}.pc.in" "${PROJECT_BINARY_DIR}/winnow-${name}.pc" @ONLY)
    set(pkgconfig_name winnow-${name}.pc)
    if(name STREQUAL "winnow")
        set(pkgconfig_name winnow.pc)
    endif()
    install(FILES "${PROJECT_BINARY_DIR}/winnow-${name}.pc" RENAME ${pkgconfig_name}
            DESTINATION "${winnow_pkgconfig_dir}" COMPONENT development)
endforeach()

configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/winnow-config.cmake.in"
    "${PROJECT_BINARY_DIR}/winnow-config.cmake"
    INSTALL_DESTINATION "${winnow_cmake_dir}"
    NO_SET_AND_CHECK_MACRO)
# Below 1.0 a minor version may break: a request for 0.1 is not met by 0.2.
write_basic_package_version_file("${PROJECT_BINARY_DIR}/winnow-config-version.cmake"
    COMPATIBILITY SameMinorVersion
    ARCH_INDEPENDENT)
install(FILES
    "${PROJECT_BINARY_DIR}/winnow-config.cmake"
    "${PROJECT_BINARY_DIR}/winnow-config-version.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/winnow_add_plugin.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/winnow_check_plugin.cmake"
    "${PROJECT_SOURCE_DIR}/cmake/winnow_plugin.map"
    DESTINATION "${winnow_cmake_dir}" COMPONENT development)
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT development)

# plugins/host makes the program; read after it.
function(winnow_install_program)
    install(TARGETS winnow_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
    install(FILES "${PROJECT_SOURCE_DIR}/docs/man/winnow.1" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1"
            COMPONENT program)
endfunction()
