# SPDX-License-Identifier: Apache-2.0
# Read by cpack. Depends of libwinnow-dev are computed: the packages of this machine that own the headers that winnow was
# configured with.
if(NOT CPACK_GENERATOR STREQUAL "DEB")
    return()
endif()

function(winnow_owner_of header version out)
    set(${out} "" PARENT_SCOPE)
    execute_process(COMMAND dpkg-query -S "*/include/${header}"
        OUTPUT_VARIABLE owner ERROR_QUIET RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(NOT result EQUAL 0 OR NOT owner MATCHES "^([a-z0-9.+-]+)(:[a-z0-9]+)?: ")
        return()
    endif()
    set(owner "${CMAKE_MATCH_1}")
    # A package with the version in its name, and what follows it in a later release.
    if(owner MATCHES "^libboost([0-9.]+)-dev$")
        set(${out} "libboost-dev (>= ${version}) | ${owner}" PARENT_SCOPE)
    else()
        set(${out} "${owner} (>= ${version})" PARENT_SCOPE)
    endif()
endfunction()

winnow_owner_of(boost/version.hpp 1.81 depends)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "${depends}")
# Each is needed by one CMake component only.
set(recommended "")
foreach(pair IN ITEMS sqlite3.h:3.37 pqxx/pqxx:6.4 hiredis/hiredis.h:0.14 CLI/CLI.hpp:2.1 nlohmann/json.hpp:3.11
                      spdlog/spdlog.h:1:1.10 httplib.h:0.11 prometheus/registry.h:1.0)
    string(REGEX MATCH "^([^:]+):(.+)$" pair "${pair}")
    winnow_owner_of("${CMAKE_MATCH_1}" "${CMAKE_MATCH_2}" owner)
    if(owner)
        list(APPEND recommended "${owner}")
    endif()
endforeach()
list(APPEND recommended pkg-config)
list(JOIN recommended ", " CPACK_DEBIAN_DEVELOPMENT_PACKAGE_RECOMMENDS)
