/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_WINNOW_H
#define WINNOW_ABI_WINNOW_H

/* The whole plugin contract, in reading order. */

#include "winnow/abi/version.h"
#include "winnow/abi/types.h"
#include "winnow/abi/host.h"
#include "winnow/abi/plan.h"
#include "winnow/abi/export.h"
#include "winnow/abi/entry.h"

#endif
