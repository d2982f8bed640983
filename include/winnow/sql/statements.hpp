// SPDX-License-Identifier: Apache-2.0
#pragma once

/// All statements that are written for a plan.
#include "winnow/sql/relation_statements.hpp"
#include "winnow/sql/row_statements.hpp"
#include "winnow/sql/statement_names.hpp"
#include "winnow/sql/writer.hpp"
