// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <array>
#include <cstdio>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

namespace bench {

namespace {

/// A variant that others are compared with.
struct base {
    std::string_view work;
    std::string_view variant;
    std::string_view name;
};
constexpr std::array bases{
    base{"deletion", "one statement", "one statement"},
    base{"deletion", "by table", "by table"},
    base{"deletion", "parent sets", "parent sets"},
    base{"deletion", "row by row", "row by row"},
    base{"backfill", "one INSERT, by id", "`INSERT` by id"},
    base{"backfill", "COPY out, COPY in", "`COPY`"},
    base{"backfill", "row by row", "row by row"},
    base{"backfill", "object mapper", "object mapper"},
    base{"backfill", "sets of 10 000", "sets"},
    base{"drain", "raw COPY and DELETE", "raw"},
    base{"drain", "raw sets and DELETE", "raw"},
    base{"drain", "sets of 10 000", "sets"},
    base{"drain", "message by message", "message by message"},
    base{"drain", "object mapper", "object mapper"},
};

std::string number(double of, int digits) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), "%.*f", digits, of);
    return text.data();
}
/// Three digits that count, without an exponent.
std::string ratio(double of) { return number(of, of < 10 ? 2 : of < 100 ? 1 : 0); }

void add_table(std::string& text, std::span<const result> rows) {
    struct compared {
        std::string_view name;
        double rate;
    };
    std::vector<compared> with;
    for (const base& one : bases)
        for (const result& row : rows)
            if (row.work == one.work && row.name == one.variant) with.push_back({one.name, row.rate()});
    text += (text.empty() ? "" : "\n") + rows[0].work + " on " + rows[0].on + ", " + rows[0].scale + ", medians of " +
            std::to_string(rows[0].rounds.size()) + "\n\n| variant | wall s | rows/s |";
    for (const compared& one : with) text.append(" rate ÷ ").append(one.name).append(" |");
    text += " statements | transactions | longest s | log MB | client CPU s | client MB |\n| --- | --- | --- |";
    for (std::size_t i = 0; i < with.size(); ++i) text += " --- |";
    text += " --- | --- | --- | --- | --- | --- |\n";
    for (const result& row : rows) {
        text += "| " + row.name + (row.rounds[0].partly != 0 ? " (in part)" : "") + " | " +
                number(row.of(&figures::wall), 2) + " | " + number(row.rate(), 0) + " | ";
        for (const compared& one : with) text += ratio(row.rate() / one.rate) + " | ";
        text += number(row.of(&figures::statements), 0) + " | " + number(row.of(&figures::transactions), 0) + " | " +
                number(row.of(&figures::longest), 3) + " | " + number(row.of(&figures::log) / 1e6, 0) + " | " +
                number(row.of(&figures::cpu), 2) + " | " + number(row.of(&figures::memory) / 1024, 1) + " |\n";
    }
}

}  // namespace

std::string tables_of(std::span<const result> results) {
    std::string text;
    while (!results.empty()) {
        std::size_t end = 1;
        while (end < results.size() && results[end].work == results[0].work && results[end].on == results[0].on &&
               results[end].scale == results[0].scale)
            ++end;
        add_table(text, results.first(end));
        results = results.subspan(end);
    }
    return text;
}

std::string json_of(std::span<const result> results) {
    nlohmann::ordered_json all = nlohmann::ordered_json::array();
    for (const result& one : results) {
        nlohmann::ordered_json row = {
            {"on", one.on}, {"work", one.work}, {"scale", one.scale}, {"variant", one.name}, {"rate", one.rate()}};
        for (const auto& [name, field] : fields) row[std::string(name)] = one.of(field);
        for (const figures& round : one.rounds) row["walls"].push_back(round.wall);
        all.push_back(std::move(row));
    }
    return all.dump(1) + "\n";
}

}  // namespace bench
