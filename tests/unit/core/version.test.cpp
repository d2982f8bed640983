// SPDX-License-Identifier: Apache-2.0
#include "winnow/core/version.hpp"

#include <gtest/gtest.h>

#include <string>

TEST(Version, TheTextSaysWhatTheMacrosSay) {
    const std::string spelled = std::to_string(WINNOW_VERSION_MAJOR) + "." + std::to_string(WINNOW_VERSION_MINOR) +
                                "." + std::to_string(WINNOW_VERSION_PATCH);
    EXPECT_EQ(spelled, winnow::version_text);
}

TEST(Version, TheInlineNamespaceCarriesTheMajorVersion) {
    static_assert(WINNOW_VERSION_MAJOR == 0);
    EXPECT_EQ(&winnow::version_text, &winnow::v0::version_text);
}
