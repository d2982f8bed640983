#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# build_and_run.sh PREFIX COMPILER SOURCE: a compiler line from pkg-config alone.
set -euo pipefail
prefix=$1 compiler=$2 source=$3
PKG_CONFIG_PATH=$(find "$prefix" -name pkgconfig -type d | paste -sd:)
export PKG_CONFIG_PATH
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
read -ra flags < <(pkg-config --cflags --libs winnow-sqlite)
"$compiler" -std=c++20 "$source" "${flags[@]}" -o "$folder/consumer"
"$folder/consumer"
