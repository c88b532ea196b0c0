/**
 * Kills what the local cloud started when the local cloud itself is killed without a chance to
 * clean up.
 *
 * One small shell reads `+ pid` and `- pid` from a pipe; when the pipe closes, which the operating
 * system does even after `kill -9`, it kills every process still on its list and ends.
 */
import { type ChildProcess, spawn } from 'node:child_process';

export type Reaper = {
  watch(pid: number): void;
  release(pid: number): void;
  /** Ends the shell; processes still watched are killed. */
  close(): Promise<void>;
};

const script = `
trap '' INT TERM HUP
pids=
while read -r op pid; do
  case $op in
    +) pids="$pids $pid" ;;
    -) rest=
       for p in $pids; do [ "$p" = "$pid" ] || rest="$rest $p"; done
       pids=$rest ;;
  esac
done
for p in $pids; do kill -9 "$p" 2>/dev/null; done
exit 0
`;

export function startReaper(): Reaper {
  const shell: ChildProcess = spawn('/bin/sh', ['-c', script], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    env: {},
  });
  shell.stdin?.on('error', () => undefined);
  shell.unref();
  const say = (line: string): void => void shell.stdin?.write(`${line}\n`);
  return {
    watch: (pid) => say(`+ ${pid}`),
    release: (pid) => say(`- ${pid}`),
    close: () =>
      new Promise((resolve) => {
        if (shell.exitCode !== null || shell.signalCode !== null) return resolve();
        shell.ref();
        shell.once('exit', () => resolve());
        shell.stdin?.end();
      }),
  };
}
