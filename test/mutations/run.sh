#!/bin/sh
# run.sh -b BUILD [N...]: do the tests notice?  Changes one line of src/ after the other (list.txt; or
# only the mutations numbered N), in a copy under BUILD, and runs the tests named with it.
# Exit status 0: every mutation made a test fail.
build=build
while getopts b: option; do
    case $option in b) build=$OPTARG;; *) exit 2;; esac
done
shift $((OPTIND - 1))
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$build/mutations
jobs=$(nproc 2>/dev/null || echo 2)

mkdir -p "$copy" && copy=$(cd "$copy" && pwd) || exit 2
(cd "$root" && tar -cf - CMakeLists.txt cmake src include problems test study bench examples docs README.md) |
    (mkdir -p "$copy/source" && cd "$copy/source" && rm -rf ./* && tar -xf -)
cmake -S "$copy/source" -B "$copy/build" >"$copy/log" 2>&1 &&
    cmake --build "$copy/build" -j"$jobs" >>"$copy/log" 2>&1 || { tail "$copy/log"; exit 2; }

number=0 survived=0 tried=0
# The separator is " | "; a literal bar in a line of C is written \|.
while IFS= read -r line; do
    case $line in '#'*|'') continue;; esac
    number=$((number + 1))
    test $# = 0 || case " $* " in *" $number "*) ;; *) continue;; esac
    tried=$((tried + 1))
    file=${line%% | *}; line=${line#* | }
    old=${line%% | *}; line=${line#* | }
    new=${line%% | *}; tests=${line#* | }
    OLD=$(printf %s "$old" | sed 's/\\|/|/g') NEW=$(printf %s "$new" | sed 's/\\|/|/g')
    export OLD NEW
    if ! perl -0pe 'BEGIN { ($o, $n) = @ENV{"OLD", "NEW"} } $c = s/\Q$o\E/$n/g;
                    exit 1 if $c != 1' "$root/src/$file" >"$copy/mutant.c"; then
        echo "$number: $file does not say \"$OLD\" exactly once"; survived=$((survived + 1)); continue
    fi
    cp "$copy/mutant.c" "$copy/source/src/$file"
    if ! cmake --build "$copy/build" -j"$jobs" >"$copy/log" 2>&1; then
        echo "$number: $file: does not compile"; survived=$((survived + 1))
    elif ctest --test-dir "$copy/build" -R "^($tests)\$" -j"$jobs" >"$copy/log" 2>&1; then
        echo "$number: SURVIVED: $file: $NEW"; survived=$((survived + 1))
    else
        echo "$number: caught by $(sed -n 's/.* - \([a-z]*\/[a-z0-9_]*\) .*/\1/p' "$copy/log" | tr '\n' ' '): $file"
    fi
    cp -p "$root/src/$file" "$copy/source/src/$file" && touch "$copy/source/src/$file"
done <"$root/test/mutations/list.txt"
echo "$((tried - survived)) of $tried mutations caught"
test "$survived" = 0
