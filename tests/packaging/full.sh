#!/usr/bin/env bash
# Makes the packages of two versions and tries them in a bare Debian 12, for `./test --full`:  full.sh BUILD
set -euo pipefail
[ -n "${TACTUS_FULL:-}" ] || { echo "skipped: takes minutes; ./test --full does it"; exit 77; }
[ "$(id -u)" -eq 0 ] || { echo "skipped: a chroot can only be made by root"; exit 77; }
for program in debootstrap patchelf dpkg-shlibdeps hatchling; do
  command -v $program > /dev/null || { echo "skipped: there is no $program (tools/packages-release)"; exit 77; }
done
here=$(cd "$(dirname "$0")/../.." && pwd)
export SOURCE_DATE_EPOCH=0
"$here/tools/make-packages" "$1/package" "$1/package/dist"
"$here/tools/make-packages" "$1/package-old" "$1/package-old/dist" -DTACTUS_VERSION=0.0.9
"$here/tools/check-abi" "$1"/package/dist/*.deb "$1"/package/dist/*.whl "$1"/package/dist/*.tar.gz
"$here/tools/check-packages" "$1/package/dist" "$1/package-old/dist"
