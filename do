#!/usr/bin/env bash
# do -- installs what is missing (apt), builds, and runs. Without arguments it lists its commands.
set -euo pipefail
cd "$(dirname "$0")"

root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Installs those of the named packages that are missing.
need() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    echo "installing: ${missing[*]}"
    root apt-get update -qq
    root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
}
need_build() { need g++ meson ninja-build pkg-config libtbb-dev zlib1g-dev libopenblas0-pthread; }

# configure FOLDER [meson options]: once; later builds are incremental.
configure() {
    local folder=$1
    shift
    [ -f "$folder/build.ninja" ] || meson setup "$folder" "$@" >"/tmp/sinter-setup.$$" || {
        cat "/tmp/sinter-setup.$$"
        exit 1
    }
    rm -f "/tmp/sinter-setup.$$"
}

demo() {
    need_build
    need libpng-dev python3
    configure build/demo -Dtests=disabled -Dexamples=enabled
    ninja -C build/demo --quiet
    for example in options photo digits; do
        echo "== $example"
        "build/demo/examples/$example" examples/data build/demo
    done
}

test_all() {
    need_build
    need clang doctest-dev libmpfr-dev libpng-dev python3
    python3 tests/run.py "$@"
}

bench() {
    need_build
    need libbenchmark-dev libeigen3-dev libxtensor-dev libxsimd-dev libarmadillo-dev libopenblas-dev python3
    configure build/bench -Dtests=disabled -Dexamples=disabled -Dbench=enabled
    ninja -C build/bench --quiet
    python3 bench/run.py "$@"
}

accuracy() {
    need_build
    need libmpfr-dev libbenchmark-dev
    configure build/bench -Dtests=disabled -Dexamples=disabled -Dbench=enabled
    ninja -C build/bench --quiet bench/accuracy
    build/bench/bench/accuracy "$@"
}

format() {
    need clang-format
    git ls-files '*.hpp' '*.cpp' | xargs clang-format -i
}

case "${1:-}" in
demo) demo ;;
test) shift; test_all "$@" ;;
bench) shift; bench "$@" ;;
accuracy) shift; accuracy "$@" ;;
format) format ;;
*)
    cat <<'HELP'
./do demo               the three examples on real data
./do test [NAME…]       all tests, or those whose name contains NAME
./do bench [NAME…]      benchmarks as a table of ratios, and build/bench.json
./do accuracy [F…]      greatest errors of the elementary functions, against MPFR
./do format             clang-format
HELP
    ;;
esac
