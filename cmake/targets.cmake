# SPDX-License-Identifier: Apache-2.0
# The libraries. All are INTERFACE: headers, and what they need to be compiled and linked.
#
#   winnow::abi       winnow/abi/*.h                 the plugin contract, C11; nothing else
#   winnow::winnow    declaring, proving, planning, running; no driver
#   winnow::plugin    winnow/plugin/*                writing plugins and loading them
#   winnow::sqlite    winnow/store/sqlite.hpp        SQLite 3
#   winnow::postgres  winnow/store/postgres.hpp      libpqxx
#   winnow::redis     winnow/store/redis*.hpp        hiredis
#   winnow::cli       winnow/cli/*                   CLI11, nlohmann_json, spdlog
#   winnow::web       winnow/web/*, cli/…/serve.hpp  cpp-httplib, prometheus-cpp; with them every program has `serve`
#
# A target whose third-party library is not on the machine is not defined.

set(winnow_include_dir "${PROJECT_SOURCE_DIR}/include")
file(GLOB_RECURSE winnow_headers CONFIGURE_DEPENDS "${winnow_include_dir}/winnow/*.hpp")
file(GLOB winnow_abi_headers CONFIGURE_DEPENDS "${winnow_include_dir}/winnow/abi/*.h")
set(winnow_plugin_headers ${winnow_headers})
list(FILTER winnow_plugin_headers INCLUDE REGEX "/winnow/plugin/")
set(winnow_sqlite_headers ${winnow_headers})
list(FILTER winnow_sqlite_headers INCLUDE REGEX "/winnow/store/sqlite[a-z_]*\\.hpp$")
set(winnow_postgres_headers ${winnow_headers})
list(FILTER winnow_postgres_headers INCLUDE REGEX "/winnow/store/postgres[a-z_]*\\.hpp$")
set(winnow_redis_headers ${winnow_headers})
list(FILTER winnow_redis_headers INCLUDE REGEX "/winnow/store/redis[a-z_]*\\.hpp$")
set(winnow_cli_headers ${winnow_headers})
list(FILTER winnow_cli_headers INCLUDE REGEX "/winnow/cli/")
set(winnow_web_headers ${winnow_headers})
list(FILTER winnow_web_headers INCLUDE REGEX "/winnow/(web/|metrics/prometheus|cli/commands/serve\\.hpp)")
list(REMOVE_ITEM winnow_cli_headers "" ${winnow_web_headers})
set(winnow_core_headers ${winnow_headers})
list(REMOVE_ITEM winnow_core_headers "" ${winnow_sqlite_headers} ${winnow_postgres_headers} ${winnow_redis_headers}
     ${winnow_plugin_headers} ${winnow_cli_headers} ${winnow_web_headers})

# winnow_add_library(<name> <headers...>): the target winnow_<name>, known as winnow::<name>.
function(winnow_add_library name)
    set(target winnow_${name})
    if(name STREQUAL "winnow")
        set(target winnow)
    endif()
    add_library(${target} INTERFACE)
    add_library(winnow::${name} ALIAS ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name} VERIFY_INTERFACE_HEADER_SETS ON)
    target_sources(${target} INTERFACE
        FILE_SET HEADERS BASE_DIRS "${winnow_include_dir}" FILES ${ARGN})
    list(APPEND WINNOW_LIBRARIES ${name})
    set(WINNOW_LIBRARIES ${WINNOW_LIBRARIES} PARENT_SCOPE)
endfunction()

find_package(Boost 1.81 REQUIRED)
find_package(Threads REQUIRED)
winnow_add_library(winnow ${winnow_core_headers})
target_compile_features(winnow INTERFACE cxx_std_20)
target_link_libraries(winnow INTERFACE Boost::headers Threads::Threads)

winnow_add_library(abi ${winnow_abi_headers})

winnow_add_library(plugin ${winnow_plugin_headers})
target_link_libraries(winnow_plugin INTERFACE winnow winnow_abi ${CMAKE_DL_LIBS})
include("${CMAKE_CURRENT_LIST_DIR}/winnow_add_plugin.cmake")

find_package(SQLite3 3.37 QUIET)
if(SQLite3_FOUND)
    winnow_add_library(sqlite ${winnow_sqlite_headers})
    target_link_libraries(winnow_sqlite INTERFACE winnow SQLite::SQLite3)
else()
    message(STATUS "winnow: SQLite 3.37 or later was not found, winnow::sqlite is left out")
endif()

# libpqxx and hiredis have no CMake package on Debian.
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
    pkg_check_modules(WINNOW_LIBPQXX QUIET IMPORTED_TARGET GLOBAL "libpqxx>=6.4")
endif()
if(WINNOW_LIBPQXX_FOUND)
    winnow_add_library(postgres ${winnow_postgres_headers})
    target_link_libraries(winnow_postgres INTERFACE winnow PkgConfig::WINNOW_LIBPQXX)
else()
    message(STATUS "winnow: libpqxx 6.4 or later was not found by pkg-config, winnow::postgres is left out")
endif()

if(PkgConfig_FOUND)
    pkg_check_modules(WINNOW_HIREDIS QUIET IMPORTED_TARGET GLOBAL "hiredis>=0.14")
    # TLS is a library of its own, from hiredis 1.0 on.
    pkg_check_modules(WINNOW_HIREDIS_SSL QUIET IMPORTED_TARGET GLOBAL "hiredis_ssl>=1.0")
endif()
if(WINNOW_HIREDIS_FOUND)
    winnow_add_library(redis ${winnow_redis_headers})
    target_link_libraries(winnow_redis INTERFACE winnow PkgConfig::WINNOW_HIREDIS)
    target_compile_definitions(winnow_redis INTERFACE WINNOW_HAS_REDIS)
    set(WINNOW_REDIS_PKGCONFIG "hiredis >= 0.14")
    set(WINNOW_REDIS_CFLAGS " -DWINNOW_HAS_REDIS")
    if(WINNOW_HIREDIS_SSL_FOUND)
        target_link_libraries(winnow_redis INTERFACE PkgConfig::WINNOW_HIREDIS_SSL)
        target_compile_definitions(winnow_redis INTERFACE WINNOW_HIREDIS_SSL)
        string(APPEND WINNOW_REDIS_PKGCONFIG ", hiredis_ssl >= 1.0")
        string(APPEND WINNOW_REDIS_CFLAGS " -DWINNOW_HIREDIS_SSL")
    endif()
else()
    message(STATUS "winnow: hiredis 0.14 or later was not found by pkg-config, winnow::redis is left out")
endif()

find_package(CLI11 2.1 QUIET)
find_package(nlohmann_json 3.11 QUIET)
find_package(spdlog 1.10 QUIET)
if(CLI11_FOUND AND nlohmann_json_FOUND AND spdlog_FOUND)
    winnow_add_library(cli ${winnow_cli_headers})
    target_link_libraries(winnow_cli INTERFACE winnow_plugin CLI11::CLI11 nlohmann_json::nlohmann_json spdlog::spdlog)
    # winnow/cli/main.hpp opens every kind of database; with an installed winnow those that were named as components.
    target_link_libraries(winnow_cli INTERFACE
        $<TARGET_NAME_IF_EXISTS:winnow::sqlite> $<TARGET_NAME_IF_EXISTS:winnow::postgres>
        $<TARGET_NAME_IF_EXISTS:winnow::redis>)
else()
    message(STATUS "winnow: CLI11, nlohmann_json or spdlog was not found, winnow::cli is left out")
endif()

# The server is one of the command line's commands. On Debian cpp-httplib is a library with a pkg-config file.
if(PkgConfig_FOUND)
    pkg_check_modules(WINNOW_HTTPLIB QUIET IMPORTED_TARGET GLOBAL "cpp-httplib>=0.11")
    # Its CMake package asks for the libraries of its own server, which is not used.
    pkg_check_modules(WINNOW_PROMETHEUS QUIET IMPORTED_TARGET GLOBAL "prometheus-cpp-core>=1.0")
endif()
if(TARGET winnow_cli AND WINNOW_HTTPLIB_FOUND AND WINNOW_PROMETHEUS_FOUND)
    winnow_add_library(web ${winnow_web_headers})
    # Not winnow_cli, which links this one in turn: what it is made of.
    target_link_libraries(winnow_web INTERFACE winnow winnow_plugin nlohmann_json::nlohmann_json spdlog::spdlog CLI11::CLI11
        PkgConfig::WINNOW_HTTPLIB PkgConfig::WINNOW_PROMETHEUS)
    target_compile_definitions(winnow_web INTERFACE WINNOW_HAS_WEB)
    target_link_libraries(winnow_cli INTERFACE $<TARGET_NAME_IF_EXISTS:winnow::web>)
else()
    message(STATUS "winnow: winnow::cli, cpp-httplib 0.11 or prometheus-cpp 1.0 was not found by pkg-config, winnow::web is left out")
endif()
