#!/bin/sh
# Debian says "remove" and Fedora 0 when the package goes, and something else when it is replaced.
set -e

case "$1" in
  remove | 0)
    if [ -d /run/systemd/system ]; then
      systemctl disable --now edgewise-agent.service
    fi
    ;;
esac
