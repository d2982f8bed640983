/* SPDX-License-Identifier: Apache-2.0 */
#ifndef WINNOW_ABI_VERSION_H
#define WINNOW_ABI_VERSION_H

/* Version of the plugin contract, apart from that of the C++ interface. It is raised with every change of these headers,
 * because a host that does not know a field cannot do what the field asks for: it refuses a plugin that is newer than
 * itself. A plugin that is older, down to the oldest version, is taken. */
#define WINNOW_ABI_VERSION 1u

/* The oldest version that a host of these headers takes. */
#define WINNOW_ABI_OLDEST 1u

#endif
