#!/bin/sh
# After the files are there: the users, the place of the token, and the service if it ran before.
set -e

id edgewise > /dev/null 2>&1 ||
  useradd --system --home-dir /var/lib/edgewise --shell /usr/sbin/nologin edgewise
# Chunks run as this user, which owns nothing and belongs to no group of the agent.
id edgewise-chunk > /dev/null 2>&1 ||
  useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin edgewise-chunk
chmod 0711 /etc/edgewise
# Only for the first start; empty it after that.
if [ ! -f /etc/edgewise/enrol-token ]; then
  (umask 077 && : > /etc/edgewise/enrol-token)
  chown edgewise /etc/edgewise/enrol-token
fi
if [ -d /run/systemd/system ]; then
  systemctl daemon-reload
  # An agent that runs goes on with the new file; one that was never started stays so.
  systemctl try-restart edgewise-agent.service
fi
