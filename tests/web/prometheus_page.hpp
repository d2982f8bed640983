// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <charconv>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace winnow_test {

/// A page in Prometheus' text format (0.0.4), read strictly.
class prometheus_page {
public:
    struct sample {
        std::string name;
        std::map<std::string, std::string> labels;
        double amount = 0;
    };

    explicit prometheus_page(const std::string& text) {
        if (!text.empty() && text.back() != '\n') fault("the last line does not end");
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) read(line);
    }

    [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }
    [[nodiscard]] const std::map<std::string, std::string>& types() const { return types_; }
    [[nodiscard]] const std::vector<sample>& samples() const { return samples_; }
    /// Sum over all series of a metric; -1 when it has none.
    [[nodiscard]] double sum(std::string_view name) const {
        double found = -1;
        for (const sample& one : samples_)
            if (one.name == name) found = (found < 0 ? 0 : found) + one.amount;
        return found;
    }

private:
    void fault(const std::string& what) { faults_.push_back(what); }

    static bool is_name(std::string_view text) {
        if (text.empty() || (text[0] >= '0' && text[0] <= '9')) return false;
        for (const char c : text) {
            const bool fine =
                (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':';
            if (!fine) return false;
        }
        return true;
    }
    /// The metric that a sample belongs to: its own name, or that of its histogram.
    [[nodiscard]] std::string family(const std::string& name) const {
        if (types_.count(name) != 0) return name;
        for (const std::string_view ending : {"_bucket", "_sum", "_count"}) {
            if (!name.ends_with(ending)) continue;
            const std::string base = name.substr(0, name.size() - ending.size());
            const auto known = types_.find(base);
            if (known != types_.end() && known->second == "histogram") return base;
        }
        return {};
    }

    void read(const std::string& line) {
        if (line.empty()) return;
        if (line[0] == '#') return read_comment(line);
        std::size_t at = line.find_first_of("{ ");
        sample one{line.substr(0, at), {}, 0};
        if (!is_name(one.name)) fault("no name: " + line);
        if (at != std::string::npos && line[at] == '{') at = read_labels(line, at + 1, one);
        if (at == std::string::npos || at >= line.size() || line[at] != ' ') return fault("no number: " + line);
        const std::string number = line.substr(at + 1);
        const char* const end = number.data() + number.size();
        if (number == "+Inf" || number == "-Inf" || number == "NaN") one.amount = 0;
        else if (const auto [stopped, wrong] = std::from_chars(number.data(), end, one.amount); stopped != end)
            fault("no number: " + line);
        const std::string of = family(one.name);
        if (of.empty()) fault("no TYPE before " + line);
        if (!of.empty() && of != current_) fault("not among the lines of its metric: " + line);
        std::string series = one.name;
        for (const auto& [name, text] : one.labels) series += "," + name + "=" + text;
        if (!seen_.insert(series).second) fault("twice: " + line);
        samples_.push_back(std::move(one));
    }
    void read_comment(const std::string& line) {
        std::istringstream words(line);
        std::string hash;
        std::string keyword;
        std::string name;
        words >> hash >> keyword >> name;
        if (keyword == "HELP") {
            current_ = name;
        } else if (keyword == "TYPE") {
            std::string type;
            words >> type;
            if (current_ != name) fault("TYPE without HELP: " + line);
            if (!std::set<std::string>{"counter", "gauge", "histogram"}.count(type)) fault("no such type: " + line);
            if (!types_.emplace(name, type).second) fault("TYPE twice: " + line);
        }
        if (!is_name(name)) fault("no name: " + line);
    }
    /// @return where the labels end
    std::size_t read_labels(const std::string& line, std::size_t at, sample& to) {
        while (at < line.size() && line[at] != '}') {
            const std::size_t equals = line.find("=\"", at);
            if (equals == std::string::npos) return std::string::npos;
            const std::string name = line.substr(at, equals - at);
            if (!is_name(name)) fault("no label: " + line);
            std::string text;
            at = equals + 2;
            for (; at < line.size() && line[at] != '"'; ++at) {
                if (line[at] != '\\') {
                    text += line[at];
                    continue;
                }
                ++at;
                const char c = at < line.size() ? line[at] : '\0';
                if (c != '\\' && c != '"' && c != 'n') fault("no escape: " + line);
                text += c == 'n' ? '\n' : c;
            }
            if (!to.labels.emplace(name, text).second) fault("label twice: " + line);
            ++at;
            if (at < line.size() && line[at] == ',') ++at;
        }
        return at + 1;
    }

    std::vector<std::string> faults_;
    std::map<std::string, std::string> types_;
    std::vector<sample> samples_;
    std::set<std::string> seen_;
    std::string current_;
};

}  // namespace winnow_test
