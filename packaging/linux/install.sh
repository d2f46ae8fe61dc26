#!/bin/sh
# Installs this folder for the user who runs it, without root: ./install.sh, or ./install.sh --remove. Chats and models are never touched.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
place=$HOME/.local/lib/ouzel
link=$HOME/.local/bin/ouzel
entry=$data/applications/ouzel.desktop
icons=$data/icons/hicolor

fail() {
    echo "install.sh: $*" >&2
    exit 1
}

not_running() {
    for exe in /proc/[0-9]*/exe; do
        case $(readlink "$exe" 2>/dev/null || true) in
            "$place"/*) fail "Ouzel is running. Close it, then try again." ;;
        esac
    done
}

remove() {
    rm -rf "$place" "$place.new" "$place.old"
    case $(readlink "$link" 2>/dev/null || true) in
        "$place"/*) rm -f "$link" ;;
    esac
    rm -f "$entry" "$icons/scalable/apps/ouzel.svg" "$icons/256x256/apps/ouzel.png"
}

refresh() {
    if command -v update-desktop-database >/dev/null 2>&1; then
        update-desktop-database -q "$data/applications" || true
    fi
}

case ${1-} in
    --remove)
        not_running
        remove
        refresh
        echo "Ouzel is removed. Chats, models and settings are still in $data/ouzel; remove that folder if you want them gone too."
        exit 0
        ;;
    "") ;;
    *) fail "usage: ./install.sh [--remove]" ;;
esac

[ -x "$here/ouzel" ] && [ -d "$here/_internal" ] || fail "Run this from the unpacked folder: ouzel and _internal must lie beside it."
case $here in
    "$place" | "$place"/*) fail "Ouzel is installed already. For a newer version, run install.sh from its own folder." ;;
esac
not_running

# Beside first, then renamed, so that a full disk leaves what was there before.
mkdir -p "$(dirname "$place")" "$(dirname "$link")" "$(dirname "$entry")" "$icons/scalable/apps" "$icons/256x256/apps"
rm -rf "$place.new" "$place.old"
cp -R "$here" "$place.new" || {
    rm -rf "$place.new"
    fail "There is no room for the program in $place."
}
if [ -e "$place" ]; then mv "$place" "$place.old"; fi
mv "$place.new" "$place"
rm -rf "$place.old"

cp "$place/share/ouzel.svg" "$icons/scalable/apps/ouzel.svg"
cp "$place/share/ouzel.png" "$icons/256x256/apps/ouzel.png"
# An entry's command is quoted twice: as a string of the file, and as an argument.
quoted=$(printf '%s' "$place/ouzel" | sed -e 's/[\\"`$]/\\&/g' -e 's/\\/\\\\/g' -e 's/%/%%/g')
while IFS= read -r line; do
    case $line in
        Exec=*) printf 'Exec="%s" %%f\n' "$quoted" ;;
        *) printf '%s\n' "$line" ;;
    esac
done <"$place/share/ouzel.desktop" >"$entry.new"
mv "$entry.new" "$entry"
if [ ! -e "$link" ] || [ -L "$link" ]; then ln -sf "$place/ouzel" "$link"; fi
refresh

echo "Ouzel is installed: open it from the menu, or type ouzel."
case :$PATH: in
    *:"$HOME/.local/bin":*) ;;
    *) echo "$HOME/.local/bin is not in your PATH yet; after the next login it may be. Until then: $link" ;;
esac
