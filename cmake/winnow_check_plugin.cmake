# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=<program> -DPLUGIN=<file> -P winnow_check_plugin.cmake: fails unless the file exports `winnow_plugin`, a
# constant, and nothing else. A file that fails is removed, so that the next build makes it again and fails again.
execute_process(COMMAND "${NM}" -D --defined-only "${PLUGIN}"
    OUTPUT_VARIABLE symbols OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
# The letter: constant data, with or without addresses that are filled in when it is loaded.
if(symbols MATCHES "^[0-9a-f]+ [RDdr] winnow_plugin$")
    return()
endif()
file(REMOVE "${PLUGIN}")
# A line that begins with a space is not broken.
if(NOT symbols MATCHES " winnow_plugin(\n|$)")
    message(FATAL_ERROR " ${PLUGIN} does not export winnow_plugin.\n"
        " Write WINNOW_PLUGIN(…) in one of its C++ files, or in a C file, below #include <winnow/abi/winnow.h>,\n"
        "     const winnow_plugin_entry winnow_plugin = {…};\n"
        " It exports: ${symbols}")
endif()
string(REPLACE "\n" "\n " symbols "${symbols}")
message(FATAL_ERROR " ${PLUGIN} exports more than winnow_plugin, a constant:\n ${symbols}")
