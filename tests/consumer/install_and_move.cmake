# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build folder> -DPREFIX=<folder> -P install_and_move.cmake
# Installs as a packager does, for /opt/winnow into a folder apart, and puts the tree somewhere else: what was written for one
# place must work in another.
set(staged "${PREFIX}.staged")
file(REMOVE_RECURSE "${PREFIX}" "${staged}")
set(ENV{DESTDIR} "${staged}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix /opt/winnow COMMAND_ERROR_IS_FATAL ANY)
file(RENAME "${staged}/opt/winnow" "${PREFIX}")

# And nothing in it knows where it was made.
file(GLOB_RECURSE texts "${PREFIX}/share/*.cmake" "${PREFIX}/share/*.pc")
if(NOT texts)
    message(FATAL_ERROR "no CMake or pkg-config file below ${PREFIX}/share")
endif()
foreach(text IN LISTS texts)
    file(READ "${text}" content)
    foreach(place IN ITEMS "${BUILD}" "${staged}" /opt/winnow)
        string(FIND "${content}" "${place}" at)
        if(NOT at EQUAL -1)
            message(FATAL_ERROR "${text} names ${place}")
        endif()
    endforeach()
endforeach()
