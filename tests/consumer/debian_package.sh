#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# debian_package.sh BUILD FOLDER CPACK: makes the Debian packages of a build folder, looks at what they say, and takes them apart
# into FOLDER/usr, where consumers find them.
set -euo pipefail
build=$1 folder=$2 cpack=$3
rm -rf "$folder"
mkdir -p "$folder/packages"
fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

"$cpack" --config "$build/CPackConfig.cmake" -B "$folder/packages" >"$folder/log" 2>&1 || fail "$(cat "$folder/log")"
packages=("$folder"/packages/*.deb)
[[ ${packages[0]} == */libwinnow-dev_*_all.deb ]] || fail "no libwinnow-dev among ${packages[*]}"

depends=$(dpkg-deb -f "${packages[0]}" Depends)
[[ $depends == *libboost*-dev* ]] || fail "Boost is not among what libwinnow-dev depends on: $depends"
recommends=$(dpkg-deb -f "${packages[0]}" Recommends)
[[ $recommends == *libsqlite3-dev*libpqxx-dev* ]] || fail "the drivers are not among what libwinnow-dev recommends: $recommends"

for package in "${packages[@]}"; do
    dpkg-deb -x "$package" "$folder"
    [[ $(dpkg-deb -f "$package" Package) != winnow ]] || depends_of_program=$(dpkg-deb -f "$package" Depends)
done
for file in include/winnow/abi/winnow.h include/winnow/winnow.hpp share/cmake/winnow/winnow-config.cmake \
    share/cmake/winnow/winnow_add_plugin.cmake share/pkgconfig/winnow.pc share/doc/libwinnow-dev/copyright; do
    [[ -s $folder/usr/$file ]] || fail "usr/$file is missing"
done
# Where the program is built, it is in a package of its own that says which libraries it needs.
if [[ -n ${depends_of_program+set} ]]; then
    [[ $depends_of_program == *libstdc++6*libsqlite3-0* || $depends_of_program == *libsqlite3-0*libstdc++6* ]] ||
        fail "winnow depends on: $depends_of_program"
    [[ -s $folder/usr/share/man/man1/winnow.1.gz ]] || fail "winnow has no manual page"
    "$folder/usr/bin/winnow" --version
fi
if command -v lintian >/dev/null; then
    lintian --allow-root --fail-on error,warning "${packages[@]}"
fi
