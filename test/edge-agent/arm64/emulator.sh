#!/bin/sh
# Makes sure that this host can run a program for arm64, and prints how: the words to put before it.
# Installs Debian's packages where they are missing and that is allowed. Exit code 3: not possible
# here, with the reason.
set -eu
libraries=/usr/aarch64-linux-gnu

skip() {
  echo "$1"
  exit 3
}

[ "$(uname -m)" != aarch64 ] || exit 0
if ! command -v qemu-aarch64-static > /dev/null || [ ! -d "$libraries/lib" ]; then
  [ "$(id -u)" = 0 ] || skip "qemu-user-static is not installed, and only root may install it"
  command -v apt-get > /dev/null || skip "qemu-user-static is not installed, and this is not Debian"
  [ -z "${EDGEWISE_NO_INSTALL:-}" ] || skip "qemu-user-static is missing: EDGEWISE_NO_INSTALL is set"
  { apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
    --no-install-recommends qemu-user-static libc6-arm64-cross; } > /dev/null 2>&1 ||
    skip "qemu-user-static and libc6-arm64-cross cannot be installed here"
fi
echo "qemu-aarch64-static -L $libraries"
