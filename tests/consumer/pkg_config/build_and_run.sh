#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_and_run.sh PREFIX COMPONENT COMPILER SOURCE [FLAG...]: a compiler line from pkg-config alone.
set -euo pipefail
prefix=$1 component=$2 compiler=$3 source=$4
shift 4
PKG_CONFIG_PATH=$prefix/share/pkgconfig
export PKG_CONFIG_PATH
package=winnow
[[ $component == core ]] || package=winnow-$component
standard=c++20
[[ $source != *.c ]] || standard=c11

text=$(pkg-config --cflags --libs "$package")
if [[ $text != *"-I$prefix/"* ]]; then
    printf '%s names headers elsewhere than below %s: %s\n' "$package" "$prefix" "$text" >&2
    exit 1
fi
read -ra flags <<<"$text"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"$compiler" "-std=$standard" "$@" "$source" "${flags[@]}" -o "$folder/consumer"
"$folder/consumer"
