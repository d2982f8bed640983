// SPDX-License-Identifier: Apache-2.0
#include <map>
#include <string>

template <class T> struct counter {
    static inline int used = 0;
};

// A static library with names of its own, one of the standard library's templates, and a variable of a template, which
// the linker would keep unique over the whole process.
int entries_of_archive() {
    static std::map<std::string, int> entries;
    entries["entry"] = ++counter<int>::used;
    return static_cast<int>(entries.size());
}
