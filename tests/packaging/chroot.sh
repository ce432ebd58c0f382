# Functions for tests in a Debian of their own, which debootstrap makes. run_chroot and run_recipes
# read this file.
#
# The caller calls chroot_enter first, then chroot_begin, then system_make for each new system.
# `inside` runs commands in the newest one, $system. The caller's $root is the source tree.
#
# $work is a temporary folder. $kept is the folder that a later run uses again:
#   RELEASE.tar            a base system
#   archives-RELEASE/      packages of Debian that were downloaded
#   pypi/                  packages of PyPI
# and what else the caller keeps there.

skip() {
    echo "$(basename "$0"): skipped: $1"
    exit 77
}

fail() {
    echo "$(basename "$0"): FAILED: $1" >&2
    exit 1
}

# chroot_enter PROGRAM ARGUMENT...: starts the program again in namespaces of its own, where its
# mounts end with it, however it ends. Skips the test if that is not possible.
chroot_enter() {
    local tool
    [ "$(id -u)" = 0 ] || skip "it needs root"
    for tool in debootstrap dh chrpath; do
        command -v "$tool" >/dev/null ||
            skip "$tool is missing: scripts/deps --package installs it"
    done
    [ -z "${GEOID_CHROOT_INSIDE-}" ] || return 0
    unshare --mount --pid --fork true 2>/dev/null || skip "it may not create namespaces"
    GEOID_CHROOT_INSIDE=1 exec unshare --mount --pid --fork --kill-child "$@"
}

# chroot_begin [KEPT]: makes $work and $kept. Both are removed at the end, but not a folder that
# KEPT names.
chroot_begin() {
    work=$(mktemp -d)
    kept=${1-$work/kept}
    mkdir -p "$kept"
    kept=$(cd "$kept" && pwd)
    system=
    trap chroot_end EXIT
}

# The folder must not be removed while folders of this machine are mounted in it.
chroot_end() {
    system_drop && rm -rf "$work"
}

# ---- steps ----

step_title=
step_lines=()

# step TITLE: begins a part of the test, and prints how long the one before took.
step() {
    step_end
    step_title=$1
    step_began=${EPOCHREALTIME/./}
    echo "==== $step_title"
}

step_end() {
    local line
    [ -n "$step_title" ] || return 0
    line=$(awk -v us=$((${EPOCHREALTIME/./} - step_began)) 'BEGIN { printf "%7.1f s", us / 1e6 }')
    echo "     $line"
    step_lines+=("$line  $step_title")
    step_title=
}

# steps_print: prints the times of all steps.
steps_print() {
    step_end
    printf '%s\n' "${step_lines[@]}"
}

# ---- systems ----

# system_make RELEASE: makes a new system in place of the one before. It has the sources of packages
# that an image of Debian has, and /sys as in containers.
system_make() {
    local release=$1 base=$kept/$1.tar
    system_drop || fail "$system cannot be unmounted"
    if [ ! -e "$base" ]; then
        debootstrap --variant=minbase "$release" "$work/base" >"$work/log" 2>&1 || {
            tail -5 "$work/log"
            skip "$release cannot be downloaded"
        }
        tar -C "$work/base" -cf "$base.new" .
        mv "$base.new" "$base"
        rm -rf "$work/base"
    fi
    system=$work/system
    archives=$kept/archives-$release
    mkdir "$system"
    tar -C "$system" -xf "$base"
    sources_add "$release"
    mount -t proc proc "$system/proc"
    mount --bind /dev "$system/dev"
    mount --bind /sys "$system/sys"
    mount -o remount,bind,ro "$system/sys"
    cp /etc/resolv.conf "$system/etc/resolv.conf" 2>/dev/null || :
    mkdir -p "$archives" "$system/packages" "$system/var/cache/apt/archives"
    put "$archives" "$system/var/cache/apt/archives"
}

# sources_add RELEASE: adds updates and security updates from the hosts that Debian's images name,
# if the base system comes from the usual mirror.
sources_add() {
    local list=$system/etc/apt/sources.list mirror
    mirror=$(awk '$1 == "deb" { print $2; exit }' "$list")
    printf 'deb %s %s main\n' "$mirror" "$1" "$mirror" "$1-updates" >"$list"
    case $mirror in
    */deb.debian.org/debian*)
        echo "deb http://deb.debian.org/debian-security $1-security main" >>"$list"
        ;;
    esac
}

# put FROM TO: the files of one folder are in another folder too. Hard links save time and space.
put() {
    cp -rln "$1/." "$2" 2>/dev/null || cp -rn "$1/." "$2"
}

# system_drop: removes the system. Packages of Debian that it downloaded are kept.
system_drop() {
    local mounted
    [ -n "$system" ] || return 0
    for mounted in proc dev sys; do
        umount "$system/$mounted" 2>/dev/null || :
        ! mountpoint -q "$system/$mounted" || return 1
    done
    rm -rf "$system/var/cache/apt/archives/partial" "$system/var/cache/apt/archives/lock"
    put "$system/var/cache/apt/archives" "$archives" 2>/dev/null || :
    rm -rf "$system"
    system=
}

# inside COMMAND...: runs a command in the system. It gets the caller's variables of proxies alone.
inside() {
    local variables=() name
    for name in http_proxy https_proxy no_proxy; do
        [ -z "${!name-}" ] || variables+=("$name=${!name}")
    done
    chroot "$system" env -i "${variables[@]}" HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin \
        LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive GEOID_CACHE_SIZE=off "$@"
}

apt() {
    inside apt-get -y -q "$@" </dev/null >"$work/apt.log" 2>&1 || {
        cat "$work/apt.log"
        fail "apt-get $*"
    }
}

# sees PATTERN COMMAND...: the command succeeds and prints the pattern.
sees() {
    local pattern=$1 output
    shift
    output=$(inside "$@" 2>&1) || { echo "$output"; fail "$*"; }
    grep -q -- "$pattern" <<<"$output" || { echo "$output"; fail "$* does not print: $pattern"; }
    echo "$*: $(grep -m1 -- "$pattern" <<<"$output")"
}

# ---- packages ----

# is_current PATH BUILD: something that was made of a build folder is newer than the build.
is_current() {
    [ -e "$1" ] && [ "$1" -nt "$2/.ninja_log" ] &&
        [ -z "$(find "$root/packaging" -newer "$1" -type f -print -quit)" ]
}

# package_version: prints the version of the packages that a build gets.
package_version() {
    sed -n '1s/geoid (\([^)]*\)).*/\1/p' "$root/packaging/debian/changelog"
}

# packages_make BUILD FOLDER ARGUMENT...: makes packages of Debian, unless the folder has them.
packages_make() {
    local build=$1 folder=$2
    shift 2
    is_current "$folder" "$build" && return 0
    rm -rf "$folder" "$folder.new"
    "$root/packaging/deb/build" "$build" -o "$folder.new" --quick "$@"
    mv "$folder.new" "$folder"
    touch "$folder"
}
