# SPDX-License-Identifier: Apache-2.0
# winnow_add_plugin(<target> SOURCES <file...> [LIBRARIES <target...>])
# winnow_add_plugin(<target> MODELS_HEADER <file> [REGISTRY <type>] [VERSION <text>] [SOURCES <file...>] [LIBRARIES <target...>])
#
# A model plugin: a file <target>.so that a program loads with --plugin. Sources in C only get winnow::abi, any other
# plugin gets winnow::plugin; LIBRARIES are linked besides.
#
# With MODELS_HEADER the entry is written for you: a plugin called <target>, of this VERSION (else the project's), with the
# models of REGISTRY (else `Models`) in that header, and nothing else. What has tables of its own, options or a start
# writes WINNOW_PLUGIN(...) itself.
#
# The file exports `winnow_plugin` and nothing else, also of the static libraries that it links; what it uses is in it or in
# a library that it names, and is looked up when it is loaded. Each build checks the first with nm.
#
# With a sanitizer in the flags, of CMAKE_<LANG>_FLAGS or of the target, undefined symbols are allowed: they come from the
# host, which is built with the same sanitizer.
function(winnow_add_plugin target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "MODELS_HEADER;REGISTRY;VERSION" "SOURCES;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
        message(FATAL_ERROR "winnow_add_plugin(${target}): not understood: "
            "${arg_UNPARSED_ARGUMENTS} ${arg_KEYWORDS_MISSING_VALUES}")
    endif()
    if(NOT arg_SOURCES AND NOT arg_MODELS_HEADER)
        message(FATAL_ERROR "winnow_add_plugin(${target}): name the files of the plugin after SOURCES, or the header of "
            "its models after MODELS_HEADER")
    endif()
    if((arg_REGISTRY OR arg_VERSION) AND NOT arg_MODELS_HEADER)
        message(FATAL_ERROR "winnow_add_plugin(${target}): REGISTRY and VERSION go with MODELS_HEADER only")
    endif()
    if(NOT CMAKE_SYSTEM_NAME STREQUAL "Linux")
        message(FATAL_ERROR "winnow_add_plugin(${target}): plugins are made for Linux only, not for ${CMAKE_SYSTEM_NAME}")
    endif()

    if(arg_MODELS_HEADER)
        cmake_path(ABSOLUTE_PATH arg_MODELS_HEADER NORMALIZE)
        if(NOT arg_REGISTRY)
            set(arg_REGISTRY Models)
        endif()
        if(NOT arg_VERSION)
            set(arg_VERSION "${PROJECT_VERSION}")
        endif()
        if(NOT arg_VERSION)
            message(FATAL_ERROR "winnow_add_plugin(${target}): the plugin has no version; write VERSION 1.0.0, or "
                "project(... VERSION 1.0.0)")
        endif()
        file(CONFIGURE OUTPUT "${target}_plugin.cpp" @ONLY CONTENT
"// Written by winnow_add_plugin(@target@ MODELS_HEADER ...).
#include \"@arg_MODELS_HEADER@\"
#include <winnow/plugin/export.hpp>
WINNOW_PLUGIN(@arg_REGISTRY@, .name = \"@target@\", .version = \"@arg_VERSION@\")
")
        list(APPEND arg_SOURCES "${CMAKE_CURRENT_BINARY_DIR}/${target}_plugin.cpp")
    endif()

    set(contract winnow::abi)
    foreach(source IN LISTS arg_SOURCES)
        if(NOT source MATCHES "\\.(c|h)$")
            set(contract winnow::plugin)
        endif()
    endforeach()
    if(NOT TARGET ${contract})
        message(FATAL_ERROR "winnow_add_plugin(${target}): ${contract} is not defined; "
            "write find_package(winnow REQUIRED COMPONENTS plugin), for C sources COMPONENTS abi")
    endif()

    add_library(${target} MODULE ${arg_SOURCES})
    target_link_libraries(${target} PRIVATE ${contract} ${arg_LIBRARIES})
    set_target_properties(${target} PROPERTIES
        PREFIX ""
        C_VISIBILITY_PRESET hidden
        CXX_VISIBILITY_PRESET hidden
        VISIBILITY_INLINES_HIDDEN ON)

    set(version_script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/winnow_plugin.map")
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS "${version_script}")
    target_link_options(${target} PRIVATE
        "LINKER:--version-script=${version_script}" LINKER:--exclude-libs,ALL LINKER:-z,now)

    # The flags of one configuration are known now, options of the target and of what it links only when it is built.
    string(TOUPPER "${CMAKE_BUILD_TYPE}" configuration)
    string(JOIN " " flags "${CMAKE_C_FLAGS}" "${CMAKE_CXX_FLAGS}" "${CMAKE_MODULE_LINKER_FLAGS}"
        "${CMAKE_C_FLAGS_${configuration}}" "${CMAKE_CXX_FLAGS_${configuration}}"
        "${CMAKE_MODULE_LINKER_FLAGS_${configuration}}")
    if(NOT flags MATCHES "-fsanitize=")
        set(options "$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>")
        target_link_options(${target} PRIVATE
            "$<IF:$<BOOL:$<FILTER:${options},INCLUDE,-fsanitize=>>,,LINKER:-z$<COMMA>defs>")
    endif()

    if(CMAKE_NM)
        add_custom_command(TARGET ${target} POST_BUILD
            COMMAND "${CMAKE_COMMAND}" "-DNM=${CMAKE_NM}" "-DPLUGIN=$<TARGET_FILE:${target}>"
                -P "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/winnow_check_plugin.cmake"
            VERBATIM)
    endif()
endfunction()
