#!/bin/sh
# A removed agent keeps its identity, so that it may come back as the same edge; a purge forgets it.
# The users stay, because files of theirs may.
set -e

if [ "$1" = purge ]; then
  rm -rf /var/lib/edgewise /var/cache/edgewise /etc/edgewise
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
fi
