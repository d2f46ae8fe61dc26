#!/bin/sh
# Makes dist/ouzel-VERSION-macos-ARCH.dmg of dist/Ouzel.app, which `python3 dev.py bundle` made. The application is signed ad hoc.
set -eu
cd "$(dirname "$0")/../.."
version=$(/usr/libexec/PlistBuddy -c "Print :CFBundleShortVersionString" dist/Ouzel.app/Contents/Info.plist)
codesign --verify --deep --strict dist/Ouzel.app
image=build/bundle/image
rm -rf "$image"
mkdir -p "$image"
cp -R dist/Ouzel.app "$image/"
ln -s /Applications "$image/Applications"
hdiutil create -quiet -ov -format UDZO -volname Ouzel -srcfolder "$image" "dist/ouzel-$version-macos-$(uname -m).dmg"
rm -rf "$image"
