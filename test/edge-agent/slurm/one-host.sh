#!/bin/sh
# Runs a whole Slurm on this host for the time of a test: one-host.sh start DIR | stop DIR.
# Installs Debian's packages where they are missing and that is allowed. Exit code 3: not possible
# here, with the reason. SLURM_NODES: how many nodes it plays (1), each with SLURM_CPUS.
set -eu
action=$1
dir=$2
conf="$dir/slurm.conf"

skip() {
  echo "$1"
  exit 3
}

start() {
  if ! command -v slurmctld > /dev/null || ! command -v munged > /dev/null; then
    [ "$(id -u)" = 0 ] || skip "Slurm is not installed, and only root may install it"
    command -v apt-get > /dev/null || skip "Slurm is not installed, and this is not Debian"
    { apt-get update -qq &&
      DEBIAN_FRONTEND=noninteractive apt-get install -y -qq slurm-wlm munge; } \
      > "$dir/install.log" 2>&1 || skip "Slurm's packages cannot be installed here"
  fi
  [ "$(id -u)" = 0 ] || skip "slurmd wants to be root"
  mkdir -p "$dir/state" "$dir/spool" "$dir/munge"
  chmod 755 "$dir"
  host=$(hostname -s)
  nodes=${SLURM_NODES:-1}
  port=${SLURM_PORT:-16817}
  head -c 1024 /dev/urandom > "$dir/munge/key"
  chmod 400 "$dir/munge/key"
  cat > "$conf" << CONF
ClusterName=edgewise
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$dir/munge/socket
CredType=cred/munge
CryptoType=crypto/munge
StateSaveLocation=$dir/state
SlurmdSpoolDir=$dir/spool/%n
SlurmctldPidFile=$dir/slurmctld.pid
SlurmdPidFile=$dir/slurmd.%n.pid
SlurmctldLogFile=$dir/slurmctld.log
SlurmdLogFile=$dir/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1,bf_interval=1
ReturnToService=2
MinJobAge=300
KillWait=2
SlurmdParameters=config_overrides
NodeName=node[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=${SLURM_CPUS:-16} State=UNKNOWN
PartitionName=main Nodes=ALL Default=YES State=UP OverSubscribe=FORCE:4
CONF
  munged --force --key-file="$dir/munge/key" --socket="$dir/munge/socket" \
    --pid-file="$dir/munge/pid" --log-file="$dir/munge/log" --seed-file="$dir/munge/seed" \
    > "$dir/munge/out" 2>&1 || skip "munged does not start: $(cat "$dir/munge/out")"
  export SLURM_CONF="$conf"
  slurmctld -f "$conf" || skip "slurmctld does not start"
  for at in $(seq "$nodes"); do
    slurmd -f "$conf" -N "node$at" || skip "slurmd does not start"
  done
  for _ in $(seq 100); do
    [ "$(sinfo -h -t idle -o %D 2> /dev/null | awk '{ n += $1 } END { print n + 0 }')" = "$nodes" ] &&
      exit 0
    sleep 0.1
  done
  skip "the node does not come up: $(tail -3 "$dir/slurmctld.log" "$dir"/slurmd.*.log | tr '\n' ' ')"
}

stop() {
  for pid in "$dir"/slurmd.*.pid "$dir/slurmctld.pid" "$dir/munge/pid"; do
    [ -f "$pid" ] && kill "$(cat "$pid")" 2> /dev/null || true
  done
}

"$action"
