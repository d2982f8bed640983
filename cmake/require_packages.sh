# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# Sourced by the scripts of this project. Defines
#
#   require_packages PACKAGE...   installs those of Debian's packages that are missing
#   quietly TITLE COMMAND...      one line for a step; its output only if it fails
#   configure_and_build PRESET [CMAKE_ARGUMENT...]   builds WINNOW_TARGETS, or everything

# What building, testing and checking take.
# shellcheck disable=SC2034
{
    packages_to_build=(g++ cmake ninja-build ccache pkg-config libboost1.81-dev libsqlite3-dev libpqxx-dev
        libhiredis-dev libcli11-dev nlohmann-json3-dev libspdlog-dev libcpp-httplib-dev libssl-dev prometheus-cpp-dev)
    packages_to_test=("${packages_to_build[@]}" libgtest-dev libgmock-dev python3 postgresql-15
        redis-server prometheus chromium chromium-driver)
    # The object mapper that copies are compared with.
    packages_to_measure=(python3-django python3-psycopg2)
    # llvm-19 has the symbolizer, without which no exception that a sanitizer is told of is known by its name.
    packages_to_sanitize=(clang-19 libclang-rt-19-dev llvm-19)
    packages_to_check=("${packages_to_sanitize[@]}" clang-format-19 clang-tidy-19 shellcheck git mandoc)
}

say() { printf '%s\n' "$*"; }

# Nothing is asked, and nothing that is on the machine is removed. Where dpkg does not rule, CMake says what is missing.
require_packages() {
    command -v dpkg-query >/dev/null || return 0
    local package missing=() as_root=()
    for package in "$@"; do
        case "$(dpkg-query -W -f='${db:Status-Abbrev}' "$package" 2>/dev/null)" in
            ?i*) ;;
            *) missing+=("$package") ;;
        esac
    done
    ((${#missing[@]})) || return 0
    if [[ $(id -u) -ne 0 ]]; then
        as_root=(sudo -n)
        if ! sudo -n true 2>/dev/null; then
            say "These packages are missing, and there is no right to install them here:" >&2
            say "    apt-get install ${missing[*]}" >&2
            return 1
        fi
    fi
    local install=(env DEBIAN_FRONTEND=noninteractive apt-get install --yes --no-remove --no-install-recommends)
    install+=(-o Dpkg::Use-Pty=0 -o DPkg::Lock::Timeout=300 "${missing[@]}")
    say "Installing ${missing[*]}"
    # The package lists are fetched only when they do not do: missing, or too old.
    "${as_root[@]}" "${install[@]}" </dev/null >/dev/null 2>&1 && return 0
    quietly "Fetching the package lists" "${as_root[@]}" apt-get update </dev/null || return 1
    quietly "Installing" "${as_root[@]}" "${install[@]}" </dev/null
}

quietly() {
    local title=$1 log status=0
    shift
    say "$title"
    log=$(mktemp)
    "$@" >"$log" 2>&1 || status=$?
    if ((status)); then
        cat "$log"
        say "Failed ($status): $*"
    fi
    rm -f "$log"
    return "$status"
}

# ccache finds again what another clone of the same files has built.
configure_and_build() {
    local preset=$1 title=$1 targets=()
    shift
    [[ -z ${WINNOW_TARGETS:-} ]] || read -ra targets <<<"--target $WINNOW_TARGETS"
    export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1
    quietly "Configuring ($title)" cmake --preset "$preset" "$@" || return
    quietly "Building ($title)" cmake --build --preset "$preset" --parallel "$(nproc)" "${targets[@]}"
}
