/**
 * What runs a pod on this host: a program for `sh`, so that the containers share their fate also
 * while no agent runs. It starts the first container, and when that runs the others in its
 * network. Each is the client of an engine, which passes a TERM on to its container; of what they
 * print each line begins with the name of its container.
 *
 * The first that ends is written down in `ended`: its name and its code. All others are asked to
 * end, and killed after the grace; then this ends, with that code.
 */
const program = `
trap : TERM
mkfifo ends && exec 9<>ends || exit 125
unbuffered=-u
echo | sed -u p > /dev/null 2>&1 || unbuffered=
begun=0
names=

named() {
  trap '' TERM
  LC_ALL=C
  export LC_ALL
  exec sed $unbuffered "s/^/$1 | /"
}

# The name of a container, that of the pod's, and what starts it.
begin() {
  [ ! -e ended ] || return 0
  name=$1
  names="$names $2"
  shift 2
  begun=$((begun + 1))
  {
    trap : TERM
    {
      trap : TERM
      {
        trap : TERM
        (exec "$@") 2>&3 3>&- 4>&- 9>&-
        code=$?
        (set -C; echo "$name $code" > ended)
        echo "$name" >&9
      } 2> /dev/null | named "$name" >&4 9>&-
    } 3>&1 | named "$name" >&2 9>&-
  } 4>&1 &
}

# Until a container runs, or has ended.
await() {
  asked="container inspect --format {{.State.Running}}"
  until [ "$("$engine" $asked "$1" 2> /dev/null)" = true ]; do
    [ ! -e ended ] || return 0
    sleep 0.1 2> /dev/null || sleep 1
  done
}

# How many ends are still to come.
take() {
  left=$1
  while [ "$left" -gt 0 ]; do
    read -r _ <&9 && left=$((left - 1))
  done
}

finish() {
  take 1
  if [ "$begun" -gt 1 ]; then
    kill -TERM 0
    (
      trap '' TERM
      exec > /dev/null 2>&1
      waited=0
      while [ "$waited" -lt "$grace" ]; do
        sleep 1
        waited=$((waited + 1))
      done
      # Of several at once some engines end none when one has gone.
      for one in $names; do "$engine" kill "$one"; done
    ) &
    killer=$!
    take $((begun - 1))
    kill -KILL "$killer"
  fi
  wait
  read -r _ code < ended
  exit "$code"
}
`;

export type PodMember = {
  readonly name: string;
  /** As the engine knows it. */
  readonly container: string;
  /** What starts it, the engine first. */
  readonly argv: readonly string[];
};

/** The first is the one in whose network the others are. */
export function podProgram(
  engine: string,
  graceSeconds: number,
  [first, ...others]: readonly PodMember[],
): string {
  const begin = ({ name, container, argv }: PodMember): string =>
    ['begin', ...[name, container, ...argv].map(quoted)].join(' ');
  const lines = [`engine=${quoted(engine)}`, `grace=${Math.ceil(graceSeconds)}`, program];
  if (first !== undefined) lines.push(begin(first));
  if (first !== undefined && others.length > 0) lines.push(`await ${quoted(first.container)}`);
  return [...lines, ...others.map(begin), 'finish', ''].join('\n');
}

/** One word, whatever is in it. */
export function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
