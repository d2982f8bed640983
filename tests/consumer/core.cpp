// SPDX-License-Identifier: Apache-2.0
#include <cstdio>

#include "winnow/core/version.hpp"
#include "winnow/plan/plan.hpp"

int main() {
    const winnow::plan plan{};
    std::printf("%s %zu\n", winnow::version_text, plan.columns.size());
    return plan.columns.empty() ? 0 : 1;
}
