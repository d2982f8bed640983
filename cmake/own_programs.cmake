# SPDX-License-Identifier: Apache-2.0
# What winnow's own tests and examples are built with. Nothing of it reaches a user's target.

add_library(winnow_warnings INTERFACE)
target_compile_options(winnow_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion
    $<$<BOOL:${WINNOW_WERROR}>:-Werror>)

# winnow_own_program(<target> SOURCES <file...> [LIBRARIES <winnow | sqlite | postgres | redis | cli | web | any target...>])
# A program with warnings on. It is skipped, with a line, when a library of winnow's was left out.
function(winnow_own_program target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    set(libraries "")
    foreach(library IN LISTS arg_LIBRARIES)
        if(library MATCHES "^(winnow|sqlite|postgres|redis|cli|web)$")
            if(NOT TARGET winnow::${library})
                message(STATUS "winnow: ${target} is left out, it needs winnow::${library}")
                return()
            endif()
            list(APPEND libraries winnow::${library})
        else()
            list(APPEND libraries ${library})
        endif()
    endforeach()
    add_executable(${target} ${arg_SOURCES})
    # Ours are many: what their command lines are made of is compiled once.
    if("cli" IN_LIST arg_LIBRARIES)
        if(NOT TARGET winnow_own_command_line)
            add_library(winnow_own_command_line STATIC "${PROJECT_SOURCE_DIR}/cmake/own_command_line.cpp")
            target_link_libraries(winnow_own_command_line PRIVATE winnow_warnings PUBLIC winnow::cli)
            target_compile_definitions(winnow_own_command_line PUBLIC WINNOW_SEPARATE_COMPILATION)
        endif()
        list(APPEND libraries winnow_own_command_line)
    endif()
    target_link_libraries(${target} PRIVATE winnow_warnings winnow::winnow ${libraries})
endfunction()
