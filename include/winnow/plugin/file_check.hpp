// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <sys/stat.h>
#include <unistd.h>

namespace winnow::inline v0 {

/// Where plugins may come from.
struct plugin_places {
    /// The only folders that plugins are taken from, those below them included; empty: any.
    std::vector<std::string> folders{};
    /// Further folders in which a name without a slash is looked for.
    std::vector<std::string> search{};
};

/// A plugin's file as it was found.
struct plugin_file {
    std::string named;  ///< as it was asked for
    std::string path;   ///< absolute, without symbolic links; empty: there is none
    dev_t device = 0;
    ino_t inode = 0;
    std::string wrong;  ///< one sentence with the file, or empty

    [[nodiscard]] bool same_as(const plugin_file& other) const noexcept {
        return inode == other.inode && device == other.device;
    }
};

/// The folders of a list with colons between, as PATH has it. Empty ones are left out.
[[nodiscard]] inline std::vector<std::string> split_path_list(std::string_view list) {
    std::vector<std::string> found;
    while (!list.empty()) {
        const std::size_t end = list.find(':');
        if (end != 0) found.emplace_back(list.substr(0, end));
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
    }
    return found;
}

namespace detail {

[[nodiscard]] inline bool file_exists(const std::string& path) {
    std::error_code ignored;
    return std::filesystem::exists(path, ignored);
}

/// Where a plugin that was asked for by name is; sets `wrong` when it is nowhere.
[[nodiscard]] inline std::string find_plugin_file(const std::string& named, const plugin_places& places,
                                                  std::string& wrong) {
    if (named.empty()) {
        wrong = "A plugin was asked for by an empty name. Name its file.";
        return {};
    }
    if (named.find('/') != std::string::npos) return named;
    const std::string file = named.ends_with(".so") ? named : named + ".so";
    std::string looked;
    for (const std::vector<std::string>* list : {&places.folders, &places.search}) {
        for (const std::string& folder : *list) {
            std::string path = folder + '/' + file;
            if (file_exists(path)) return path;
            looked += (looked.empty() ? "" : ", ") + folder;
        }
    }
    // Who writes the ending means a file.
    if (file == named && file_exists(named)) return "./" + named;
    wrong = named + ": there is no such plugin" + (looked.empty() ? "" : " in " + looked) +
            ". Name its file with a slash in it, as ./" + file + ", or a folder that has it in WINNOW_PLUGIN_PATH.";
    return {};
}

[[nodiscard]] inline bool is_trusted_owner(uid_t owner) noexcept { return owner == 0 || owner == ::geteuid(); }

[[nodiscard]] inline std::string find_unsafe(const std::string& path, const struct stat& file) {
    if (!is_trusted_owner(file.st_uid))
        return "belongs to another user (number " + std::to_string(file.st_uid) +
               "), who could put anything into it. Copy it, so that it is this user's or root's.";
    if ((file.st_mode & (S_IWGRP | S_IWOTH)) != 0)
        return "can be written to by " + std::string((file.st_mode & S_IWOTH) != 0 ? "everybody" : "its group") +
               ". Run `chmod go-w " + path + "`.";
    std::filesystem::path folder = std::filesystem::path(path).parent_path();
    for (bool nearest = true;; nearest = false) {
        struct stat about{};
        if (::stat(folder.c_str(), &about) != 0)
            return "is in a folder that cannot be looked at, " + folder.string() + ".";
        // In a sticky folder, as /tmp is, only the owner of a file may replace it. Further up only what everybody may do counts:
        // groups that look after whole trees are common there.
        const mode_t open_to = nearest ? (S_IWGRP | S_IWOTH) : S_IWOTH;
        if ((about.st_mode & S_ISVTX) == 0 && (about.st_mode & open_to) != 0)
            return "is below the folder " + folder.string() + ", in which others can replace it. Run `chmod go-w " +
                   folder.string() + "`, or keep it elsewhere.";
        if (nearest && !is_trusted_owner(about.st_uid))
            return "is in the folder " + folder.string() + " of another user, who could replace it. Keep it elsewhere.";
        if (folder == folder.root_path()) return {};
        folder = folder.parent_path();
    }
}

[[nodiscard]] inline bool is_below(const std::filesystem::path& path, const std::vector<std::string>& folders) {
    for (const std::string& each : folders) {
        std::error_code fault;
        const std::filesystem::path folder = std::filesystem::canonical(each, fault);
        if (fault) continue;
        const std::string prefix = folder == folder.root_path() ? folder.string() : folder.string() + '/';
        if (path.string().starts_with(prefix)) return true;
    }
    return false;
}

}  // namespace detail

/// Finds a plugin and looks at its file: a regular one, of this user or root, that nobody else can change or replace, and
/// within the folders that are given. That guards against mistakes; whoever has this user's rights needs no plugin.
/// @param named a path, or a name without slash that is looked for in the places as NAME.so
[[nodiscard]] inline plugin_file check_plugin_file(const std::string& named, const plugin_places& places) {
    plugin_file found;
    found.named = named;
    const std::string path = detail::find_plugin_file(named, places, found.wrong);
    if (!found.wrong.empty()) return found;
    std::error_code fault;
    const std::filesystem::path real = std::filesystem::canonical(path, fault);
    struct stat about{};
    if (fault || ::stat(real.c_str(), &about) != 0) {
        found.wrong = path + ": there is no such file that this user can reach. Correct the name.";
        return found;
    }
    found.path = real.string();
    found.device = about.st_dev;
    found.inode = about.st_ino;
    std::string wrong;
    if (!S_ISREG(about.st_mode)) {
        wrong = S_ISDIR(about.st_mode) ? "is a folder. Name the plugin's file in it."
                                       : "is no regular file. Name a plugin's file.";
    } else if (!places.folders.empty() && !detail::is_below(real, places.folders)) {
        std::string list;
        for (const std::string& each : places.folders) list += (list.empty() ? "" : ", ") + each;
        wrong = "is not in a folder that plugins may come from (" + list +
                "). Install it there, or add its folder to plugin_folders.";
    } else {
        wrong = detail::find_unsafe(found.path, about);
    }
    if (!wrong.empty()) found.wrong = found.path + ": " + wrong;
    return found;
}

}  // namespace winnow::inline v0
