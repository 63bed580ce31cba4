#!/bin/sh
# Installs the programs named that are missing, through the system's package manager, and says so. `PROGRAM:PACKAGE` names a
# package that is called otherwise.
set -eu

missing=
for program in "$@"; do
  command -v "${program%%:*}" >/dev/null 2>&1 || missing="$missing ${program##*:}"
done
[ -n "$missing" ] || exit 0

root=
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 && root=sudo
fi

run() {
  echo "installing$missing: $root $*"
  # Unquoted on purpose: without sudo there is no word.
  $root "$@"
}

if command -v apt-get >/dev/null 2>&1; then
  # A fresh machine has no package lists yet.
  run apt-get update
  # shellcheck disable=SC2086
  run apt-get install -y --no-install-recommends $missing
elif command -v dnf >/dev/null 2>&1; then
  run dnf install -y $missing
elif command -v pacman >/dev/null 2>&1; then
  run pacman -Sy --noconfirm $missing
elif command -v apk >/dev/null 2>&1; then
  run apk add $missing
elif command -v zypper >/dev/null 2>&1; then
  run zypper --non-interactive install $missing
elif command -v brew >/dev/null 2>&1; then
  root=
  run brew install $missing
else
  echo "deck needs$missing, and no package manager was found that could install it:" >&2
  echo "install it by hand, then run make again" >&2
  exit 1
fi
