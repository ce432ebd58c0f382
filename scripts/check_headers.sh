#!/usr/bin/env bash
# Compiles each public header alone, as C11, C17, C++14 and C++20, with every compiler given (default: gcc and clang-22),
# through both include styles: <level_zero/ze_api.h>, and <ze_api.h> with -I include/level_zero.
# usage: check_headers.sh [INCLUDE_DIR [COMPILER...]]
set -u
root=$(cd "$(dirname "$0")/.." && pwd)
include=${1:-$root/include}
shift
compilers=("$@")
if [[ ${#compilers[@]} == 0 ]]; then
    for compiler in gcc clang-22; do
        command -v "$compiler" >/dev/null && compilers+=("$compiler")
    done
fi
flags=(-Wall -Wextra -Wpedantic -Wshadow -Wundef -Werror -fsyntax-only)
c_flags=(-Wstrict-prototypes -Wmissing-prototypes)
failed=0 checked=0
while IFS= read -r header; do
    name=${header#"$include/"}
    for compiler in "${compilers[@]}"; do
        for standard in c11 c17 c++14 c++20; do
            language=c extra=("${c_flags[@]}")
            if [[ $standard == c++* ]]; then language=c++ extra=(); fi
            for style in "-I$include" "-I$include/level_zero"; do
                shown=$name
                [[ $style == */level_zero ]] && shown=${name#level_zero/}
                checked=$((checked + 1))
                # Included twice: guards must hold.
                if ! printf '#include <%s>\n#include <%s>\n' "$shown" "$shown" |
                    "$compiler" -x "$language" -std="$standard" "${flags[@]}" "${extra[@]}" "$style" -; then
                    echo "FAILED: $compiler -std=$standard $style <$shown>"
                    failed=$((failed + 1))
                fi
            done
        done
    done
done < <(find "$include/level_zero" -name '*.h' | sort)
echo "check_headers: $((checked - failed)) of $checked compilations hold"
[[ $failed == 0 && $checked != 0 ]]
