/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_EXPORT_H
#define WINNOW_ABI_EXPORT_H

/* Before the one thing that a plugin exports. Everything else is best hidden: compile with -fvisibility=hidden. */
#if defined(_WIN32)
#define WINNOW_EXPORT __declspec(dllexport)
#else
#define WINNOW_EXPORT __attribute__((visibility("default")))
#endif

#endif
