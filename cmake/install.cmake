# SPDX-License-Identifier: Apache-2.0
# Headers, one export file per target, the package's config and version file, and pkg-config files.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(winnow_cmake_dir "${CMAKE_INSTALL_LIBDIR}/cmake/winnow")

# The pkg-config files find the headers from where they are themselves: the installation can be moved.
file(RELATIVE_PATH pkgconfig_to_prefix "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
string(REGEX REPLACE "/$" "" pkgconfig_to_prefix "${pkgconfig_to_prefix}")

foreach(name IN LISTS WINNOW_LIBRARIES)
    set(target winnow_${name})
    if(name STREQUAL "winnow")
        set(target winnow)
    endif()
    install(TARGETS ${target} EXPORT winnow-${name}-targets FILE_SET HEADERS)
    install(EXPORT winnow-${name}-targets NAMESPACE winnow:: DESTINATION "${winnow_cmake_dir}")

    configure_file("${PROJECT_SOURCE_DIR}/cmake/winnow-${name}.pc.in" "${PROJECT_BINARY_DIR}/winnow-${name}.pc" @ONLY)
    set(pkgconfig_name winnow-${name}.pc)
    if(name STREQUAL "winnow")
        set(pkgconfig_name winnow.pc)
    endif()
    install(FILES "${PROJECT_BINARY_DIR}/winnow-${name}.pc" RENAME ${pkgconfig_name}
            DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
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
    DESTINATION "${winnow_cmake_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
