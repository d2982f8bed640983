// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <dlfcn.h>

namespace winnow::inline v0 {

namespace detail {

/// The word before a mark in a text: `libfoo.so.1` in `libfoo.so.1: cannot open shared object file`.
[[nodiscard]] inline std::string word_before(std::string_view text, std::string_view mark) {
    const std::size_t end = text.find(mark);
    if (end == std::string_view::npos) return {};
    const std::size_t begin = text.substr(0, end).find_last_of(" :");
    return std::string(text.substr(begin == std::string_view::npos ? 0 : begin + 1,
                                   end - (begin == std::string_view::npos ? 0 : begin + 1)));
}
[[nodiscard]] inline std::string word_after(std::string_view text, std::string_view mark) {
    const std::size_t at = text.find(mark);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + mark.size());
    return std::string(text.substr(0, text.find_first_of(" \t\n,;)")));
}

}  // namespace detail

/// What the dynamic loader said about a file, as a sentence that tells what to do.
[[nodiscard]] inline std::string explain_load_failure(std::string_view path, std::string_view said) {
    const std::string file(path);
    if (const std::string symbol = detail::word_after(said, "undefined symbol: "); !symbol.empty())
        return file + ": uses `" + symbol +
               "`, which neither it nor a library that it names defines. Link what defines it; winnow_add_plugin() finds "
               "that when it is built.";
    const std::string library = detail::word_before(said, ": cannot open shared object file");
    if (!library.empty() && library != path)
        return file + ": needs the library " + library +
               ", which is not found. Install the package that has it, or link it with a run path ($ORIGIN).";
    if (said.find("version `") != std::string_view::npos)
        return file + ": is made for newer system libraries than this machine has (" + std::string(said) +
               "). Build it on the oldest system that it is to run on.";
    if (said.find("failed to map segment") != std::string_view::npos)
        return file + ": cannot be loaded from where it is (" + std::string(said) +
               "). Keep it on a file system that is not mounted noexec.";
    return file + ": cannot be loaded (" + std::string(said) + "). `plugins inspect` shows what is known of it.";
}

/// A shared library that is loaded. Bound at once and locally: what is missing shows now, and no two libraries see each
/// other's names. It stays for the life of the process unless `close` is called (ADR 7).
class plugin_library {
public:
    plugin_library() = default;
    plugin_library(plugin_library&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), path_(std::move(other.path_)) {}
    plugin_library& operator=(plugin_library&& other) noexcept {
        std::swap(handle_, other.handle_);
        std::swap(path_, other.path_);
        return *this;
    }
    plugin_library(const plugin_library&) = delete;
    plugin_library& operator=(const plugin_library&) = delete;
    ~plugin_library() = default;

    /// Loads a file.
    /// @param wrong gets one sentence when it cannot be
    [[nodiscard]] static plugin_library open(const std::string& path, std::string& wrong) {
        plugin_library made;
        made.path_ = path;
        made.handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (made.handle_ == nullptr) wrong = explain_load_failure(path, last_error());
        return made;
    }

    explicit operator bool() const noexcept { return handle_ != nullptr; }
    /// Address of what it exports under a name; null when it does not.
    [[nodiscard]] const void* symbol(const char* name) const noexcept {
        return handle_ == nullptr ? nullptr : ::dlsym(handle_, name);
    }
    /// Gives it back. Nothing of it may be used any more.
    /// @return whether it has left memory; one that others opened too, or that has unique symbols, stays
    bool close() noexcept {
        if (handle_ == nullptr) return true;
        ::dlclose(std::exchange(handle_, nullptr));
        void* still = ::dlopen(path_.c_str(), RTLD_NOW | RTLD_NOLOAD);
        if (still == nullptr) return true;
        ::dlclose(still);
        return false;
    }

private:
    static std::string last_error() {
        const char* said = ::dlerror();
        return said == nullptr ? "the dynamic loader does not say why" : said;
    }

    void* handle_ = nullptr;
    std::string path_;
};

}  // namespace winnow::inline v0
