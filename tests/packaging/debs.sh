#!/bin/sh
# Inside a bare Debian 12: installs the packages of one version, upgrades them to the next, uses them, and
# purges them:  debs.sh FOLDER_OF_OLD FOLDER_OF_NEW
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
version_of() { dpkg-deb --field "$(ls "$1"/tactus_*.deb)" Version; }
install() {
  apt-get install -y -qq --no-install-recommends "$1"/*.deb > /tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
  [ "$(tactus --version)" = "tactus $(version_of "$1")" ]
  [ -e "/usr/lib/$(uname -m)-linux-gnu/libtactus.so.$(version_of "$1")" ]
}
# Everything but the packager's own notes.
files() { find / -xdev \( -path /proc -o -path /sys -o -path /dev -o -path /tmp -o -path /packages -o -path /var/cache \
  -o -path /var/log -o -path /var/lib/apt -o -path /var/lib/dpkg -o -path /run \) -prune -o -print | sort; }

apt-get update -qq
# The packages that ours need, first, so that what is left in the end can only be ours.
apt-get install -y -qq --no-install-recommends --download-only "$2"/*.deb > /dev/null 2>&1
needed=$(apt-get install -s --no-install-recommends "$2"/*.deb | sed -n 's/^Inst \([^ ]*\) .*/\1/p' | grep -v tactus)
apt-get install -y -qq --no-install-recommends $needed > /tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
files > /tmp/before

install "$1"
echo "installed: $(version_of "$1")"
"$here/older.sh" write /tmp/older
install "$2"
echo "upgraded: $(version_of "$2")"
[ ! -e "/usr/lib/$(uname -m)-linux-gnu/libtactus.so.$(version_of "$1")" ]  # nothing of the old one is left
"$here/use.sh" /usr
"$here/older.sh" read /tmp/older
python3 "$here/use.py"
for file in bash-completion/completions/tactus zsh/site-functions/_tactus fish/vendor_completions.d/tactus.fish \
  man/man1/tactus.1.gz man/man8/tactusd.8.gz tactus/system.schema.json doc/tactus/use/cli.md; do
  # dpkg leaves documents out where it was told so, as in containers.
  [ -e /usr/share/$file ] || grep -qs path-exclude /etc/dpkg/dpkg.cfg.d/* || { echo "no /usr/share/$file" >&2; exit 1; }
done
[ -e /usr/lib/systemd/system/tactusd.service ]

apt-get purge -y -qq tactus libtactus0 libtactus-dev python3-tactus tactus-mpi > /tmp/apt.log 2>&1 || { cat /tmp/apt.log; exit 1; }
files > /tmp/after
if ! diff /tmp/before /tmp/after | grep '^>'; then
  echo "purged: nothing is left"
else
  echo "these files are left" >&2
  exit 1
fi
