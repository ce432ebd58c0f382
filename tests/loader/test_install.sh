#!/bin/sh
# Installs the build into a folder, moves it, and uses it as other projects do: with pkg-config, with CMake, and by running
# the installed tools. Usage: test_install.sh BUILD CMAKE CC FAKE_DRIVER
# INI-13, GEN-20: programs need the headers and the import library, nothing else.
set -eu
build=$1 cmake=$2 cc=$3 driver=$4
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$cmake" --install "$build" --prefix "$work/first" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/moved tree"
prefix="$work/moved tree"

loader=$(find "$prefix" -name libze_loader.so)
[ -n "$loader" ] || { echo "no libze_loader.so was installed"; exit 1; }
libdir=$(dirname "$loader")
for name in libze_loader.so.1 libze_validation_layer.so.1 libze_tracing_layer.so.1 pkgconfig/level-zero.pc pkgconfig/libze_loader.pc; do
    [ -e "$libdir/$name" ] || { echo "$name was not installed"; exit 1; }
done

# The licences lie with the libraries, and NOTICES tells all that they are linked with.
for name in LICENSE NOTICES geoid.spdx.json; do
    [ -s "$prefix/share/doc/geoid/$name" ] || { echo "share/doc/geoid/$name was not installed"; exit 1; }
done
for page in man7/geoid.7 man1/geoid-run.1 man1/geoidc.1 man1/zeinfo.1 man1/zetop.1 man1/zetrace.1; do
    [ -s "$prefix/share/man/$page" ] || { echo "share/man/$page was not installed"; exit 1; }
done
[ -s "$prefix/share/zsh/site-functions/_geoid" ] || { echo "the completion for zsh was not installed"; exit 1; }
for tool in zeinfo geoid-run; do
    bash --norc -c 'source "$1" && complete -p "$2"' bash "$prefix/share/bash-completion/completions/$tool" $tool >"$work/log" ||
        { echo "the completion of $tool for bash was not installed"; exit 1; }
    [ -s "$prefix/share/fish/vendor_completions.d/$tool.fish" ] || { echo "the completion of $tool for fish was not installed"; exit 1; }
done
for needed in $(readelf -d "$libdir"/*.so | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | sort -u); do
    case $needed in
        libze_loader.so*) continue ;;
        libc.so* | libm.so* | libdl.so* | libpthread.so* | ld-linux*) name="the C library" ;;
        libstdc++.so* | libgcc_s.so*) name=libstdc++ ;;
        libz.so*) name=zlib ;;
        libLLVM*) name="LLVM 22" ;;
        *) name=${needed%%.so*} name=${name#lib} ;;
    esac
    grep -q -- "$name" "$prefix/share/doc/geoid/NOTICES" || { echo "NOTICES does not name $needed"; exit 1; }
done

mkdir "$work/program"
cat >"$work/program/program.c" <<'PROGRAM'
#include <level_zero/ze_api.h>
#include <level_zero/loader/ze_loader.h>
#include <zes_api.h>
int main(void)
{
    zel_component_version_t version;
    return zelGetLoaderVersion(&version) || zeInit(0) || zesInit(0);
}
PROGRAM
export ZE_ENABLE_ALT_DRIVERS="$driver" LD_LIBRARY_PATH="$libdir"

# pkg-config: both names, versions that clients ask for
ln -s "$prefix" "$work/plain" # pkg-config escapes blanks, shells split them
plain_libdir="$work/plain${libdir#"$prefix"}"
export PKG_CONFIG_PATH="$plain_libdir/pkgconfig"
pkg-config --exists 'level-zero >= 1.3' && pkg-config --exists 'libze_loader >= 1.32.0'
version=$(pkg-config --modversion libze_loader)
[ -e "$libdir/libze_loader.so.$version" ] || { echo "libze_loader.so.$version was not installed"; exit 1; }
case $(pkg-config --variable=driversdir libze_loader) in
    /*/level_zero/drivers.d) ;;
    *) echo "pkg-config does not know the folder for manifests"; exit 1 ;;
esac
flags=$(pkg-config --cflags --libs level-zero)
# shellcheck disable=SC2086
"$cc" "$work/program/program.c" -o "$work/by_pkg_config" $flags
"$work/by_pkg_config"

# CMake, with both targets
cat >"$work/program/CMakeLists.txt" <<'PROGRAM'
cmake_minimum_required(VERSION 3.16)
project(program C)
find_package(LevelZero 1.15 REQUIRED)
add_executable(program program.c)
target_link_libraries(program PRIVATE LevelZero::LevelZero)
add_library(headers_only OBJECT program.c)
target_link_libraries(headers_only PRIVATE LevelZero::Headers)
PROGRAM
"$cmake" -S "$work/program" -B "$work/by_cmake" -DCMAKE_C_COMPILER="$cc" -DCMAKE_PREFIX_PATH="$prefix" \
    >"$work/log" 2>&1 && "$cmake" --build "$work/by_cmake" >>"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$work/by_cmake/program"

# the installed tools find the installed loader without help
unset LD_LIBRARY_PATH
"$prefix/bin/zeinfo" --list | grep -q '\[gpu\] fake a 0'
"$prefix/bin/zeinfo" --why | grep -q "moved tree/.*libze_loader.so.1"
"$prefix/bin/geoid-run" "$work/by_pkg_config"

# the Python modules find the loader as any library is found
PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$prefix/share/level_zero/python" LD_LIBRARY_PATH="$libdir" \
    python3 -c 'import zes, zet, zer; assert zer.zeInit(0) == 0 and zes.zesInit(0) == 0'
"$prefix/bin/zetop" --version | grep -q '^zetop '

# geoidc finds the installed compiler, also through the link named ocloc
"$prefix/bin/geoidc" "$build/tests/geoidc/spirv/work.spv" -o "$work/work.bin"
"$libdir/geoid/ocloc/ocloc" -file "$build/tests/geoidc/spirv/work.spv" -spirv_input -device skl -q -out_dir "$work"
cmp "$work/work.bin" "$work/work_skl.bin"
"$prefix/bin/zetrace" -o "$work/trace.json" "$prefix/bin/zeinfo" --list 2>&1 | grep -q '^zeDeviceGet '
grep -q '"name":"zeDeviceGet"' "$work/trace.json"

# geoid-blocks, where it is built, finds its layer in the installed tree, and has a manual page
if [ -e "$build/bin/geoid-blocks" ]; then
    "$prefix/bin/geoid-blocks" true
    [ -s "$prefix/share/man/man1/geoid-blocks.1" ] || { echo "the manual page of geoid-blocks was not installed"; exit 1; }
fi
[ ! -e "$build/bin/zedbg" ] || [ -s "$prefix/share/man/man1/zedbg.1" ] || { echo "the manual page of zedbg was not installed"; exit 1; }
