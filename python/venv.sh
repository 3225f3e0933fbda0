#!/bin/sh
# venv.sh BUILD: a virtual environment in BUILD/venv with the package keel, beside the NumPy and
# SciPy of the system, without network.
set -e
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")" && pwd)
python=$(sed -n 's/^_\{0,1\}Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt" | head -n 1)
"${python:-/usr/bin/python3}" -m venv --system-site-packages "$build/venv"
copy=$build/python-source               # pip writes beside the sources: a copy of them
rm -rf "$copy" && mkdir -p "$copy" && ln -s "$source/../include" "$copy/include"
cp -R "$source" "$copy/python"
KEEL_LIBRARY=$build/libkeel.a "$build/venv/bin/pip" install --quiet --no-build-isolation --no-index \
    --no-deps --force-reinstall --disable-pip-version-check "$copy/python"
cd / && "$build/venv/bin/python" -c "import keel; print('keel', keel.__version__, 'in', keel.__path__[0])"
echo "Start it: $build/venv/bin/python"
