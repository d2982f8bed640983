# SPDX-License-Identifier: Apache-2.0
# Run by cpack when the files of a Debian package lie ready: adds copyright and changelogs under the package's name and
# compresses what Debian wants compressed.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()

function(winnow_compress file)
    # Without name and time: the same input makes the same package.
    execute_process(COMMAND gzip -9nf "${file}" COMMAND_ERROR_IS_FATAL ANY)
endfunction()

string(TIMESTAMP year "%Y" UTC)
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component IN LISTS CPACK_COMPONENTS_ALL)
    string(TOUPPER "${component}" upper)
    set(package "${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
    set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}")
    set(documents "${root}/share/doc/${package}")
    # The licence is the one in /usr/share/common-licenses.
    file(REMOVE_RECURSE "${root}/share/doc/winnow")
    file(WRITE "${documents}/copyright"
"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: winnow

Files: *
Copyright: ${year} the authors of winnow
License: Apache-2.0

License: Apache-2.0
 On Debian systems, the full text of the Apache License, version 2.0, is in
 the file /usr/share/common-licenses/Apache-2.0.
")
    file(WRITE "${documents}/changelog.Debian"
"winnow (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) unstable; urgency=medium

  * Made by cpack from winnow ${CPACK_PACKAGE_VERSION}; see changelog.gz.

 -- ${CPACK_DEBIAN_PACKAGE_MAINTAINER}  ${date}
")
    winnow_compress("${documents}/changelog.Debian")
    # It is not made to be uploaded to Debian.
    file(WRITE "${root}/share/lintian/overrides/${package}" "${package}: initial-upload-closes-no-bugs\n")
    configure_file("${CPACK_WINNOW_SOURCE_DIR}/CHANGELOG.md" "${documents}/changelog" COPYONLY)
    winnow_compress("${documents}/changelog")
    file(GLOB pages "${root}/share/man/man*/*[0-9]")
    foreach(page IN LISTS pages)
        winnow_compress("${page}")
    endforeach()
    file(CHMOD_RECURSE "${documents}" "${root}/share/lintian"
        FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ
        DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
endforeach()
