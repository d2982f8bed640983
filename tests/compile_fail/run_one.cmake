# SPDX-License-Identifier: Apache-2.0
# Compiles SOURCE twice: as it is, which has to work without a warning, and with -DWINNOW_FAIL, which has to
# fail as the file's first lines say:
#
#     // expect: <part of the sentence>       on the first line of the message
#     // names: <name>, <name>…               optional: what the message speaks of
#     // noise: <why>                         optional: more errors may follow the sentence
#
#     cmake -DCOMPILER=… -DCOMPILER_ID=GNU|Clang -DFLAGS=… -DSOURCE=… -P run_one.cmake
#
# The sentence stands where people look: a compiler that prints the assertion first has it on line 1, one that
# prints the way to it first within the first 4, not counting the lines that say which file included which.
cmake_minimum_required(VERSION 3.25)

# Lists of CMake take these characters for their own.
function(without_list_characters text result)
    string(REPLACE ";" "," text "${text}")
    string(REPLACE "[" "(" text "${text}")
    string(REPLACE "]" ")" text "${text}")
    set(${result} "${text}" PARENT_SCOPE)
endfunction()

file(READ "${SOURCE}" text)
if(NOT text MATCHES "^// expect: ([^\n]+)\n")
    message(FATAL_ERROR "${SOURCE}: the first line is not `// expect: <text>`")
endif()
without_list_characters("----> winnow: ${CMAKE_MATCH_1}" expected)
set(names "")
if(text MATCHES "\n// names: ([^\n]+)\n")
    without_list_characters("${CMAKE_MATCH_1}" names)
    string(REPLACE ", " ";" names "${names}")
endif()

set(ENV{LC_ALL} C)
set(command "${COMPILER}" ${FLAGS} -fsyntax-only -fdiagnostics-color=never)

execute_process(COMMAND ${command} "${SOURCE}" RESULT_VARIABLE failed ERROR_VARIABLE output)
if(NOT failed EQUAL 0 OR NOT output STREQUAL "")
    message(FATAL_ERROR "the correct declaration does not compile, or not without a warning:\n${output}")
endif()

execute_process(COMMAND ${command} -DWINNOW_FAIL "${SOURCE}" RESULT_VARIABLE failed ERROR_VARIABLE output)
if(failed EQUAL 0)
    message(FATAL_ERROR "the wrong declaration compiles")
endif()

without_list_characters("${output}" lines)
string(REPLACE "\n" ";" lines "${lines}")
list(FILTER lines EXCLUDE REGEX "^(In file included from | +from |$)")
set(position 0)
set(errors 0)
set(messages 0)
set(found 0)
foreach(line IN LISTS lines)
    math(EXPR position "${position} + 1")
    if(line MATCHES " error: ")
        math(EXPR errors "${errors} + 1")
    endif()
    if(NOT line MATCHES "^ +[0-9]* \\| ") # the source, and the marks below it
        math(EXPR messages "${messages} + 1")
    endif()
    string(FIND "${line}" "${expected}" at)
    if(NOT at EQUAL -1 AND found EQUAL 0)
        set(found ${position})
    endif()
endforeach()

set(last_line 4)
if(COMPILER_ID MATCHES "Clang")
    set(last_line 1)
endif()
set(findings "")
if(found EQUAL 0)
    list(APPEND findings "the sentence is missing: ${expected}")
elseif(found GREATER last_line)
    list(APPEND findings "the sentence stands on line ${found}, later than line ${last_line}: ${expected}")
endif()
if(NOT text MATCHES "\n// noise: ")
    if(NOT errors EQUAL 1)
        list(APPEND findings "there are ${errors} errors instead of one")
    endif()
    if(messages GREATER 12)
        list(APPEND findings "there are ${messages} lines of messages, more than 12")
    endif()
endif()
foreach(name IN LISTS names)
    string(FIND "${lines}" "${name}" at)
    if(at EQUAL -1)
        list(APPEND findings "the message does not name ${name}")
    endif()
endforeach()
if(findings)
    list(JOIN findings "\n" findings)
    message(FATAL_ERROR "${findings}\n\n${output}")
endif()
