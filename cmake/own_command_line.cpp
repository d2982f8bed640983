// SPDX-License-Identifier: Apache-2.0
#include <winnow/cli/source.hpp>
