// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <pqxx/pqxx>

#if PQXX_VERSION_MAJOR == 7 && PQXX_VERSION_MINOR < 6
#error "winnow needs libpqxx 6.4, or 7.6 or later: 7.0 to 7.5 cannot collect parameters one by one"
#endif

namespace winnow::inline v0 {

/// Everything that differs between libpqxx 6, 7 and 8.
namespace pqxx_version {

#if PQXX_VERSION_MAJOR >= 7
class bound_parameters {
public:
    void add(std::string&& text) { held_.append(std::move(text)); }
    void add_null() { held_.append(); }
    [[nodiscard]] const pqxx::params& get() const noexcept { return held_; }

private:
    pqxx::params held_;
};
[[nodiscard]] inline std::string_view bytes_of(const pqxx::result& result, int row, int column) {
    return result[row][column].view();
}
inline void speak_verbosely(pqxx::connection& session) { session.set_verbosity(pqxx::error_verbosity::verbose); }
#else
/// Pointers, because a null pointer is what this version takes for NULL.
class bound_parameters {
public:
    void add(std::string&& text) { kept_.push_back(std::make_unique<std::string>(std::move(text))); }
    void add_null() { kept_.push_back(nullptr); }
    [[nodiscard]] std::vector<const char*> get() const {
        std::vector<const char*> pointers;
        pointers.reserve(kept_.size());
        for (const auto& text : kept_) pointers.push_back(text ? text->c_str() : nullptr);
        return pointers;
    }

private:
    std::vector<std::unique_ptr<std::string>> kept_;
};
[[nodiscard]] inline std::string_view bytes_of(const pqxx::result& result, int row, int column) {
    const pqxx::field cell =
        result[static_cast<pqxx::result::size_type>(row)][static_cast<pqxx::row::size_type>(column)];
    return {cell.c_str(), cell.size()};
}
inline void speak_verbosely(pqxx::connection& session) { session.set_verbosity(pqxx::connection_base::verbose); }
#endif

#if PQXX_VERSION_MAJOR >= 8
inline pqxx::result run(pqxx::nontransaction& work, const std::string& text, const bound_parameters& given) {
    return work.exec(text, given.get());
}
inline pqxx::result run_prepared(pqxx::nontransaction& work, const std::string& name, const bound_parameters& given) {
    return work.exec(pqxx::prepped{name}, given.get());
}
#elif PQXX_VERSION_MAJOR == 7
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
inline pqxx::result run(pqxx::nontransaction& work, const std::string& text, const bound_parameters& given) {
    return work.exec_params(text, given.get());
}
inline pqxx::result run_prepared(pqxx::nontransaction& work, const std::string& name, const bound_parameters& given) {
    return work.exec_prepared(name, given.get());
}
#pragma GCC diagnostic pop
#else
inline pqxx::result run(pqxx::nontransaction& work, const std::string& text, const bound_parameters& given) {
    return work.exec_params(text, pqxx::prepare::make_dynamic_params(given.get()));
}
inline pqxx::result run_prepared(pqxx::nontransaction& work, const std::string& name, const bound_parameters& given) {
    return work.exec_prepared(name, pqxx::prepare::make_dynamic_params(given.get()));
}
#endif

}  // namespace pqxx_version

}  // namespace winnow::inline v0
