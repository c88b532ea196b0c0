#!/bin/sh
# Installs the edge agent from a directory or a URL that holds the files of `npm run build:agent`:
#   sh install.sh FROM [--prefix DIR] [--no-service]
# Checks the checksum before anything is installed. Nothing is started: edit
# /etc/edgewise/agent.env, put the enrol token into /etc/edgewise/enrol-token, then
#   systemctl enable --now edgewise-agent
set -eu

fail() {
  echo "install.sh: $1" >&2
  exit 1
}

from=
prefix=/usr/local
service=yes
while [ $# -gt 0 ]; do
  case "$1" in
    --prefix) [ $# -ge 2 ] || fail "--prefix needs a directory"; prefix=$2; shift 2 ;;
    --no-service) service=no; shift ;;
    -*) fail "unknown option $1" ;;
    *) from=$1; shift ;;
  esac
done
[ -n "$from" ] || fail "say where the files are: a directory or a URL"

[ "$(uname -s)" = Linux ] || fail "there are agents for Linux only"
case "$(uname -m)" in
  x86_64 | amd64) arch=x64 ;;
  aarch64 | arm64) arch=arm64 ;;
  *) fail "there is no agent for $(uname -m)" ;;
esac
name="edgewise-agent-linux-$arch"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

get() {
  case "$from" in
    http://* | https://*)
      curl --fail --silent --show-error --location --output "$work/$1" "$from/$1"
      ;;
    *) cp "$from/$1" "$work/$1" ;;
  esac || fail "cannot get $1 from $from"
}

get "$name"
get SHA256SUMS
expected=$(awk -v name="$name" '$2 == name { print $1 }' "$work/SHA256SUMS")
[ -n "$expected" ] || fail "SHA256SUMS does not name $name"
actual=$(sha256sum "$work/$name" | cut -d' ' -f1)
[ "$expected" = "$actual" ] || fail "the checksum of $name is wrong: nothing was installed"

mkdir -p "$prefix/bin"
install -m 0755 "$work/$name" "$prefix/bin/.edgewise-agent.new"
"$prefix/bin/.edgewise-agent.new" --version > /dev/null || {
  rm -f "$prefix/bin/.edgewise-agent.new"
  fail "the agent does not run here"
}
# Renaming replaces a running agent's file without disturbing it.
mv "$prefix/bin/.edgewise-agent.new" "$prefix/bin/edgewise-agent"
echo "installed $("$prefix/bin/edgewise-agent" --version) in $prefix/bin"

[ "$service" = yes ] || exit 0
[ "$(id -u)" = 0 ] || fail "only root can install the service; --no-service leaves it out"
id edgewise > /dev/null 2>&1 ||
  useradd --system --home-dir /var/lib/edgewise --shell /usr/sbin/nologin edgewise
# Chunks run as this user, which owns nothing and belongs to no group of the agent.
id edgewise-chunk > /dev/null 2>&1 ||
  useradd --system --home-dir /nonexistent --shell /usr/sbin/nologin edgewise-chunk
mkdir -p /etc/edgewise
if [ ! -f /etc/edgewise/agent.env ]; then
  umask 077
  cat > /etc/edgewise/agent.env << 'ENV'
EDGE_NAME=
EDGEWISE_API=
ENV
fi
# Only for the first start; empty it after that.
if [ ! -f /etc/edgewise/enrol-token ]; then
  (umask 077 && : > /etc/edgewise/enrol-token)
  chown edgewise /etc/edgewise/enrol-token
fi
chmod 0711 /etc/edgewise
unit=$(dirname "$0")/edgewise-agent.service
[ -f "$unit" ] || { get edgewise-agent.service; unit="$work/edgewise-agent.service"; }
sed "s|^ExecStart=.*|ExecStart=$prefix/bin/edgewise-agent|" "$unit" > "$work/unit"
install -m 0644 "$work/unit" /etc/systemd/system/edgewise-agent.service
command -v systemctl > /dev/null && systemctl daemon-reload || true
echo "edit /etc/edgewise/agent.env, put the enrol token into /etc/edgewise/enrol-token, then:"
echo "  systemctl enable --now edgewise-agent"
