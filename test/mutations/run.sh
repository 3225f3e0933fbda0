#!/bin/sh
# run.sh -b BUILD [N...]: do the tests notice?  Changes one line of src/ after the other (list.txt;
# or only the mutations numbered N), in a copy under BUILD, and runs the tests named with it, which
# must exist and pass without the change.  Exit status 0: every mutation made a test fail.
build=build
while getopts b: option; do
    case $option in b) build=$OPTARG;; *) exit 2;; esac
done
shift $((OPTIND - 1))
root=$(cd "$(dirname "$0")/../.." && pwd)
copy=$build/mutations
jobs=$(nproc 2>/dev/null || echo 2)
export OPENBLAS_NUM_THREADS=1

mkdir -p "$copy" && copy=$(cd "$copy" && pwd) || exit 2
log=$copy/log
# Every file is newer than what an earlier run made of it, which may be a mutant.
(cd "$root" && tar -cf - CMakeLists.txt cmake src include problems models test study bench examples python petsc docs \
    README.md) |
    (mkdir -p "$copy/source" && cd "$copy/source" && rm -rf ./* && tar -xmf -)
launcher=$(command -v ccache)
cmake -S "$copy/source" -B "$copy/build" ${launcher:+-DCMAKE_C_COMPILER_LAUNCHER="$launcher"} \
    >"$log" 2>&1 || { tail "$log"; exit 2; }

# names PATTERN: the tests area/subject that it names; each is a target test_area_subject.
names() { ctest --test-dir "$copy/build" -N -R "^($1)\$" | sed -n 's/^ *Test *#[0-9]*: //p'; }
compile() {
    set -- $(names "$1" | sed 's|^|test_|; s|/|_|')
    test $# -gt 0 && cmake --build "$copy/build" -j"$jobs" --target "$@" >"$log" 2>&1 </dev/null
}
run() { ctest --test-dir "$copy/build" -R "^($1)\$" -j"$jobs" $2 >"$log" 2>&1 </dev/null; }
failed() { sed -n 's|^[ \t]*[0-9]* - \([a-z]*/[a-z0-9_]*\) .*|\1|p' "$log" | sort -u | tr '\n' ' '; }

# A mutation's fields are separated by " | "; a literal bar in a line of C is written \|.
plain() { printf %s "$1" | sed 's/\\|/|/g'; }
split() {
    file=${1%% | *}; set -- "${1#* | }"
    OLD=$(plain "${1%% | *}"); set -- "${1#* | }"
    NEW=$(plain "${1%% | *}"); tests=${1#* | }
    export OLD NEW
}
grep '^[^#]' "$root/test/mutations/list.txt" | grep -n . |
    while IFS=: read -r number line; do
        test $# = 0 || case " $* " in *" $number "*) ;; *) continue;; esac
        printf '%s:%s\n' "$number" "$line"
    done >"$copy/chosen"

all=$(while IFS= read -r line; do split "$line"; printf '%s|' "$tests"; done <"$copy/chosen")
compile "${all%|}" || { tail "$log"; exit 2; }
run "${all%|}" || { echo "without any mutation these fail: $(failed)"; exit 2; }

survived=0 tried=0
survives() { echo "$number: SURVIVED: $file: $1"; survived=$((survived + 1)); }
while IFS=: read -r number line; do
    tried=$((tried + 1))
    split "$line"
    if ! perl -0pe 'BEGIN { ($o, $n) = @ENV{"OLD", "NEW"} } $c = s/\Q$o\E/$n/g;
                    exit 1 if $c != 1' "$root/src/$file" >"$copy/mutant.c"; then
        survives "it does not say \"$OLD\" exactly once"; continue
    fi
    cp "$copy/mutant.c" "$copy/source/src/$file"
    if ! compile "$tests"; then survives "does not compile: $NEW"
    elif run "$tests" --stop-on-failure; then survives "$NEW"
    else echo "$number: caught by $(failed): $file"
    fi
    cp "$root/src/$file" "$copy/source/src/$file"
done <"$copy/chosen"
echo "$((tried - survived)) of $tried mutations caught"
test "$survived" = 0
