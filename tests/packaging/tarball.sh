#!/bin/sh
# Uses the tarball in two folders, without any package but those of a bare Debian 12:  tarball.sh TARBALL
set -eu
here=$(cd "$(dirname "$0")" && pwd)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cd "$place"
tar --extract --file "$1"
name=$(ls)
"$here/use.sh" "$place/$name"
mkdir "$place/else where"
mv "$name" "$place/else where/tactus"
"$here/use.sh" "$place/else where/tactus"
echo "runs from two folders"
