# SPDX-License-Identifier: Apache-2.0
# cmake -DBUILD=<build folder> -DPREFIX=<folder> -P install_afresh.cmake
file(REMOVE_RECURSE "${PREFIX}")
execute_process(COMMAND "${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${PREFIX}" COMMAND_ERROR_IS_FATAL ANY)
