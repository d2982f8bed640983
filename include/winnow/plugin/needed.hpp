// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ios>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

#include "winnow/plugin/elf.hpp"
#include "winnow/plugin/file_check.hpp"

namespace winnow::inline v0 {

namespace detail {

/// Folders of a search path in which `$ORIGIN` is the folder of the library.
[[nodiscard]] inline std::vector<std::string> search_folders(std::string_view path, const std::string& origin) {
    std::vector<std::string> found = split_path_list(path);
    for (std::string& each : found) {
        for (const std::string_view mark : {std::string_view("${ORIGIN}"), std::string_view("$ORIGIN")}) {
            if (const std::size_t at = each.find(mark); at != std::string::npos) each.replace(at, mark.size(), origin);
        }
    }
    return found;
}

[[nodiscard]] inline bool is_in_loader_cache(const std::string& name) {
    std::ifstream file("/etc/ld.so.cache", std::ios::binary);
    const std::string all{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    // Its strings end with a zero each; the rest is numbers.
    return all.find('\0' + name + '\0') != std::string::npos;
}

[[nodiscard]] inline bool library_is_found(const std::string& name, const std::vector<std::string>& folders) {
    if (name.find('/') != std::string::npos) return file_exists(name);
    if (void* loaded = ::dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD); loaded != nullptr) {
        ::dlclose(loaded);
        return true;
    }
    for (const std::string& each : folders)
        if (file_exists(each + '/' + name)) return true;
    return is_in_loader_cache(name);
}

}  // namespace detail

/// Those of the libraries which a file needs that the dynamic loader would not find. Nothing is loaded.
/// @param path of the file
[[nodiscard]] inline std::vector<std::string> missing_libraries(const elf_facts& facts, const std::string& path) {
    std::vector<std::string> folders =
        detail::search_folders(facts.search_path, std::filesystem::path(path).parent_path().string());
    const char* listed = std::getenv("LD_LIBRARY_PATH");
    for (std::string& each : split_path_list(listed == nullptr ? "" : listed)) folders.push_back(std::move(each));
    for (const char* each : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"}) folders.emplace_back(each);
    std::vector<std::string> missing;
    for (const std::string& name : facts.needed)
        if (!detail::library_is_found(name, folders)) missing.push_back(name);
    return missing;
}

}  // namespace winnow::inline v0
