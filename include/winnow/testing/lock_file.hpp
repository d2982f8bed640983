// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "winnow/backfill/lock_file.hpp"
#include "winnow/core/error.hpp"
#include "winnow/derive/plans_of.hpp"
#include "winnow/plan/catalog.hpp"

namespace winnow::inline v0 {

namespace detail {

struct closing_of_file {
    void operator()(std::FILE* file) const noexcept { (void)std::fclose(file); }
};

}  // namespace detail

/// What is wrong with a registry beside the lock file in the repository; empty when nothing is. One line of a test:
///
///     EXPECT_EQ(winnow::problems_of_lock<Models>(SOURCE_DIR "/winnow.lock"), "");     // GoogleTest
///     if (const auto wrong = winnow::problems_of_lock<Models>("winnow.lock"); !wrong.empty()) return fail(wrong);
///
/// It fails when what a copy is made of has changed and `replication_version` has not, and when the file is out of date;
/// the text says for each model what to do. Never throws for what is wrong with the file.
template <class Registry>
[[nodiscard]] std::string problems_of_lock(const std::string& path) {
    const std::unique_ptr<std::FILE, detail::closing_of_file> file(std::fopen(path.c_str(), "rb"));
    if (file == nullptr)
        return path + ": " + std::strerror(errno) + ". Write it with `lock`, and keep it with the code.\n";
    std::string text;
    char part[4096];
    for (std::size_t size = 0; (size = std::fread(part, 1, sizeof part, file.get())) != 0;) text.append(part, size);
    try {
        return lock_problems(catalog(plans_of<Registry>), text);
    } catch (const error& problem) {
        return path + ": " + problem.what() + ". " + problem.hint() + "\n";
    }
}

}  // namespace winnow::inline v0
