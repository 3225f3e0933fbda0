#!/bin/sh
# A page of `keel run --plot FILE.html` in a browser without network: its program runs to the end and draws.
# usage: page_browser.sh KEEL SOURCE_DIR.  77: there is no Chromium, or keel was built without pages.
keel=$1 source=$2
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) || {
    echo "skipped: no Chromium (Debian: apt-get install chromium)"
    exit 77
}
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
"$keel" run "$source/models/bouncing_ball.mo" --plot "$folder/page.html" --quiet 2>"$folder/said" || {
    grep -q "built without pages" "$folder/said" && { echo "skipped: built without pages"; exit 77; }
    cat "$folder/said"
    exit 1
}
HOME=$folder "$browser" --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' \
    --user-data-dir="$folder/profile" --virtual-time-budget=5000 --enable-logging=stderr \
    --screenshot="$folder/page.png" --window-size=1400,1800 "file://$folder/page.html" 2>"$folder/log"
dom() {
    HOME=$folder "$browser" --headless --no-sandbox --disable-gpu --host-resolver-rules='MAP * ~NOTFOUND' \
        --user-data-dir="$folder/profile" --virtual-time-budget=5000 --dump-dom "file://$1" 2>/dev/null
}
dom "$folder/page.html" >"$folder/dom"
# residuals that are exactly 0 at some points, and so have no logarithm
"$keel" run "$source/models/rectifier_bridge.mo" --plot "$folder/bridge.html" --quiet || exit 1
dom "$folder/bridge.html" >"$folder/bridge"

failed=0
expect() { [ "$1" -ge "$2" ] || { echo "$3: $1, not $2 or more"; failed=1; }; }
if grep -i 'CONSOLE.*error' "$folder/log"; then failed=1; fi
expect "$(grep -o '<canvas' "$folder/dom" | wc -l)" 2 "pictures drawn by the chart library"
expect "$(grep -o '<canvas width="[1-9]' "$folder/bridge" | wc -l)" 3 "pictures of the bridge that have a size"
expect "$(grep -o 'type="checkbox"' "$folder/dom" | wc -l)" 4 "variables to choose"
expect "$(grep -o 'began anew' "$folder/dom" | wc -l)" 10 "events in the table"
grep -q 'model BouncingBall' "$folder/dom" || { echo "the text of the model is missing"; failed=1; }
expect "$(wc -c <"$folder/page.png")" 50000 "bytes of the screenshot"
if [ -n "$KEEL_KEEP_SCREENSHOT" ]; then cp "$folder/page.png" "$KEEL_KEEP_SCREENSHOT"; fi
exit $failed
