# SPDX-License-Identifier: Apache-2.0
# Helpers of tests/CMakeLists.txt and of the folders below it.
include(GoogleTest)

# winnow_test_program(<name> SOURCES <file...> [LABELS <label...>] [LIBRARIES <library...>] [WHOLE] [LOCK <name>]
#                     [PROPERTIES <...>])
# A GoogleTest program; each of its tests is one CTest test, `<name>.<Suite>.<Test>`. WHOLE registers
# the program as one test instead. LIBRARIES as in winnow_own_program. LOCK: no two tests with this lock run at the same
# time; those on SQLite share one of their own.
function(winnow_test_program name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "WHOLE" "LOCK" "SOURCES;LABELS;LIBRARIES;PROPERTIES")
    winnow_own_program(${name} SOURCES ${arg_SOURCES} LIBRARIES GTest::gmock GTest::gtest_main ${arg_LIBRARIES})
    if(NOT TARGET ${name})
        return()
    endif()
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/tests")
    # Every file of a program makes code of the same inline functions: eight at once take a third of the time.
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${WINNOW_UNITY_TESTS} UNITY_BUILD_BATCH_SIZE 8)
    # `tests_of_<label>` builds all programs whose first label this is.
    list(GET arg_LABELS 0 first_label)
    if(NOT TARGET tests_of_${first_label})
        add_custom_target(tests_of_${first_label})
    endif()
    add_dependencies(tests_of_${first_label} ${name})
    if(arg_WHOLE)
        add_test(NAME ${name} COMMAND ${name})
        set_tests_properties(${name} PROPERTIES
            LABELS "${arg_LABELS}" RESOURCE_LOCK "${arg_LOCK}" TIMEOUT 900 ${arg_PROPERTIES})
    else()
        gtest_discover_tests(${name}
            TEST_PREFIX "${name}."
            DISCOVERY_TIMEOUT 60
            PROPERTIES TIMEOUT 900 ${arg_PROPERTIES})
        # Labels are a list, which gtest_discover_tests would take apart; so they are set afterwards.
        set(labels_file "${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake")
        file(CONFIGURE OUTPUT "${labels_file}" @ONLY CONTENT [[
if(@name@_TESTS)
    set_tests_properties(${@name@_TESTS} PROPERTIES LABELS "@arg_LABELS@")
    # What others do on the server is nothing to a test on SQLite. Redis is shared, and emptied.
    set(locked ${@name@_TESTS})
    set(on_sqlite ${@name@_TESTS})
    list(FILTER on_sqlite INCLUDE REGEX "/sqlite( |$)")
    if(NOT "@arg_LABELS@" MATCHES "redis")
        list(FILTER locked EXCLUDE REGEX "/sqlite( |$)")
        if(NOT "@arg_LOCK@" STREQUAL "" AND NOT "${on_sqlite}" STREQUAL "")
            set_tests_properties(${on_sqlite} PROPERTIES RESOURCE_LOCK sqlite)
        endif()
    endif()
    if(NOT "@arg_LOCK@" STREQUAL "" AND NOT "${locked}" STREQUAL "")
        set_tests_properties(${locked} PROPERTIES RESOURCE_LOCK "@arg_LOCK@")
    endif()
endif()
]])
        set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES "${labels_file}")
    endif()
endfunction()

# winnow_test_folder(<folder> [LIBRARIES <library...>])
# All *.test.cpp directly in tests/<folder>, with any other *.cpp there as support. The suffix of a
# file name says which service it needs (`_postgres`, `_sqlite`, `_redis`); files of one suffix make one
# program, `<folder>[_<suffix>]` with slashes as underscores. Labels: the parts of the folder's
# name, and the service.
function(winnow_test_folder folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
    set(path "${PROJECT_SOURCE_DIR}/tests/${folder}")
    file(GLOB all CONFIGURE_DEPENDS "${path}/*.cpp")
    set(tests ${all})
    list(FILTER tests INCLUDE REGEX "\\.test\\.cpp$")
    set(support ${all})
    list(FILTER support EXCLUDE REGEX "\\.test\\.cpp$")

    # A deletion waits for transactions of the whole server (R20): tests with long ones must not run beside others.
    set(lock "")
    if("postgres" IN_LIST arg_LIBRARIES)
        set(lock LOCK postgres)
    endif()
    string(REPLACE "/" "_" program "${folder}")
    string(REPLACE "/" ";" labels "${folder}")
    foreach(service IN ITEMS postgres sqlite redis)
        set(of_service ${tests})
        list(FILTER of_service INCLUDE REGEX "_${service}\\.test\\.cpp$")
        if(of_service)
            list(REMOVE_ITEM tests ${of_service})
            set(lock_of_service ${lock})
            if(service STREQUAL "sqlite")
                list(TRANSFORM lock_of_service REPLACE "^postgres$" sqlite)
            endif()
            winnow_test_program(${program}_${service}
                SOURCES ${of_service} ${support}
                LABELS ${labels} ${service}
                LIBRARIES ${service} ${arg_LIBRARIES}
                ${lock_of_service})
        endif()
    endforeach()
    if(tests)
        winnow_test_program(${program} SOURCES ${tests} ${support} LABELS ${labels} LIBRARIES ${arg_LIBRARIES}
            ${lock})
    endif()
endfunction()

# winnow_test_folders(<folder> [LIBRARIES <library...>]): winnow_test_folder for each folder in tests/<folder>.
function(winnow_test_folders folder)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "LIBRARIES")
    file(GLOB children CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}/tests" "${PROJECT_SOURCE_DIR}/tests/${folder}/*")
    foreach(child IN LISTS children)
        if(IS_DIRECTORY "${PROJECT_SOURCE_DIR}/tests/${child}")
            winnow_test_folder(${child} LIBRARIES ${arg_LIBRARIES})
        endif()
    endforeach()
endfunction()
