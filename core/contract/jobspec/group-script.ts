import { quoted } from './command.ts';
import type { PlannedGroup, PlannedTask, Unit } from './plan.ts';

/**
 * What a group runs: one script that holds the group's allocation from its first task to its last,
 * and starts each task when those it waits for are done and there is room. What runs at one time
 * never needs more than the group holds. It needs a POSIX shell and nothing else, so it runs on a
 * host, and as one batch job of Slurm or Flux.
 *
 * A task that fails is no reason to end others; who waits for it is skipped, and the group fails.
 */
export type Needs = ReadonlyMap<string, number>;

export type GroupSizes = {
  /** What the group holds, all nodes together. */
  readonly room: (group: PlannedGroup) => Needs;
  /** What one run of a task, or a group in it, takes of that. */
  readonly needs: (member: Unit, group: PlannedGroup) => Needs;
  /** The words before a command that hand it to the scheduler of the allocation. */
  readonly launcher: (task: PlannedTask) => readonly string[];
};

export function groupScript(group: PlannedGroup, sizes: GroupSizes): string {
  return `${scriptOf(group, sizes, group.name).join('\n')}\n`;
}

/**
 * Tells a run's end by its number, so that none is missed while another is being handled. A run
 * that has just been forked has no program to end yet, and no trap: it says when it has both, and
 * looks then whether it is to end; only runs that have said so get the signal. A shell loses one
 * that comes before it has put its traps away, so the program's own shell looks once more.
 */
const preamble = `
edgewise_dir=$(mktemp -d "\${TMPDIR:-/tmp}/group.XXXXXX") || exit 1
trap 'rm -rf "$edgewise_dir"' EXIT
trap 'trap "" TERM; stop; exit 143' TERM INT HUP
mkfifo "$edgewise_dir/ends" && exec 3<>"$edgewise_dir/ends" || exit 1
running=0 bad= stopped= pids=
stop() {
  [ -z "$stopped" ] || return 0
  stopped=1
  : > "$edgewise_dir/stopped"
  for it in $pids; do
    [ ! -e "$edgewise_dir/\${it%%:*}" ] || kill "\${it#*:}" 2>/dev/null
  done
}
start() {
  (
    trap - EXIT
    child=
    trap 'kill "$child" 2>/dev/null' TERM INT HUP
    {
      [ ! -e "$edgewise_dir/stopped" ] || exit 143
      "run_$1" "$2"
    } 3>&- &
    child=$!
    : > "$edgewise_dir/$1.$2"
    [ ! -e "$edgewise_dir/stopped" ] || kill "$child" 2>/dev/null
    wait "$child"
    code=$?
    while kill -0 "$child" 2>/dev/null; do wait "$child"; code=$?; done
    echo "$1 $2 $code" >&3
  ) &
  pids="$pids $1.$2:$!"
  running=$((running + 1))
}
ended() {
  running=$((running - 1))
  "end_$1" "$3"
  rest=
  for it in $pids; do
    case $it in "$1.$2:"*) ;; *) rest="$rest $it" ;; esac
  done
  pids=$rest
}
fault() {
  [ "\${#bad}" -gt 1000 ] || bad="$bad $1($2)"
}
`.trim();

function scriptOf(group: PlannedGroup, sizes: GroupSizes, path: string): readonly string[] {
  const names = new Map(group.members.map(({ name }, at) => [name, at]));
  const types = new Map([...sizes.room(group).keys()].map((type, at) => [type, at]));
  const room = [...sizes.room(group)].map(([type, count]) => `free_${types.get(type)}=${count}`);
  const lines = [
    preamble,
    ...room,
    ...group.members.flatMap((member, at) => memberLines(member, at, group, sizes, path)),
    ...group.members.flatMap((member, at) => tryLines(member, at, names, types, group, sizes)),
    'while :; do',
    ...group.members.map((_, at) => `  try_${at}`),
    '  [ "$running" -gt 0 ] || break',
    '  read -r it number code <&3 || continue',
    '  ended "$it" "$number" "$code"',
    ...(group.stopOnFailure ? ['  [ -z "$bad" ] || stop'] : []),
    'done',
    `[ -z "$bad" ] || { echo ${quoted(`group ${path} failed:`)}"$bad" >&2; exit 1; }`,
    'exit 0',
  ];
  return lines;
}

/** What a member runs: `run_3 K` is its run number K. */
function memberLines(
  member: Unit,
  at: number,
  group: PlannedGroup,
  sizes: GroupSizes,
  path: string,
): readonly string[] {
  const replicas = member.kind === 'task' ? member.replicas : 1;
  const counts = `left_${at}=${replicas} open_${at}=${replicas} bad_${at}=`;
  if (member.kind === 'group') {
    const inner = scriptOf(member, sizes, `${path}/${member.name}`);
    return [counts, `run_${at}() {`, ...inner, '}'];
  }
  const { environment, cwd, argv, local, durationSeconds } = member;
  const own = Object.entries(environment).filter(
    ([name, value]) => group.environment[name] !== value,
  );
  const exports = own.map(([name, value]) => `  export ${name}=${quoted(value)}`);
  const limited = durationSeconds !== null && durationSeconds !== group.durationSeconds;
  const words = [
    ...(limited ? ['timeout', String(durationSeconds)] : []),
    ...(local ? [] : sizes.launcher(member)),
    ...argv,
  ];
  return [
    counts,
    `run_${at}() {`,
    `  export EDGEWISE_CHUNK="$1" EDGEWISE_CHUNKS=${replicas} EDGEWISE_TASK=${quoted(member.name)}`,
    ...exports,
    ...(cwd === null || cwd === group.cwd ? [] : [`  cd ${quoted(cwd)} || exit 1`]),
    `  exec ${words.map(quoted).join(' ')}`,
    '}',
  ];
}

/** Starts what can be started of a member, and takes back what an ended run of it held. */
function tryLines(
  member: Unit,
  at: number,
  names: ReadonlyMap<string, number>,
  types: ReadonlyMap<string, number>,
  group: PlannedGroup,
  sizes: GroupSizes,
): readonly string[] {
  const before = [...new Set([...member.after, ...localsBefore(group, at)])];
  const parents = before.map((name) => names.get(name)!);
  const isLocal = member.kind === 'task' && member.local;
  const needs = isLocal
    ? []
    : [...sizes.needs(member, group)].map(([type, n]) => [types.get(type)!, n]);
  const take = needs.map(([type, n]) => `free_${type}=$((free_${type} - ${n}))`);
  const back = needs.map(([type, n]) => `free_${type}=$((free_${type} + ${n}))`);
  const room = needs.map(([type, n]) => `    [ "$free_${type}" -ge ${n} ] || return 0`);
  return [
    `try_${at}() {`,
    ...parents.map((it) => `  [ "$open_${it}" -eq 0 ] || return 0`),
    ...parents.map((it) => `  [ -z "$bad_${it}" ] || skip_${at}`),
    `  while [ "$left_${at}" -gt 0 ]; do`,
    `    [ -z "$stopped" ] || { skip_${at}; return 0; }`,
    ...room,
    `    number=$((open_max_${at} - left_${at})) left_${at}=$((left_${at} - 1))`,
    ...take.map((line) => `    ${line}`),
    `    start ${at} "$number"`,
    '  done',
    '}',
    `open_max_${at}=$left_${at}`,
    `end_${at}() {`,
    `  open_${at}=$((open_${at} - 1))`,
    ...back.map((line) => `  ${line}`),
    `  [ "$1" -eq 0 ] || { bad_${at}=1; fault ${quoted(member.name)} "$1"; }`,
    '}',
    `skip_${at}() {`,
    `  [ "$left_${at}" -gt 0 ] || return 0`,
    `  open_${at}=$((open_${at} - left_${at})) left_${at}=0 bad_${at}=1`,
    `  fault ${quoted(member.name)} skipped`,
    '}',
  ];
}

/** Whatever follows a local task waits for it. */
function localsBefore({ members }: PlannedGroup, at: number): readonly string[] {
  return members.slice(0, at).flatMap((it) => (it.kind === 'task' && it.local ? [it.name] : []));
}
