import { chmodSync, lstatSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { processesWith } from '../host/process-table.ts';
import { launcherFrameBytesMax, orphanGraceMs, outputWatchMs, strayCheckMs } from '../limits.ts';
import { type LaunchedProcess, launch, launchMark } from './launched-process.ts';
import {
  type FromLauncher,
  type LaunchEnd,
  launcherProtocol,
  makeLineReader,
  type ToLauncher,
} from './launcher-protocol.ts';

/**
 * The resident process that starts chunks: small, so that forking it is cheap however large the
 * agent has grown.
 *
 * It outlives its agent on purpose. While nobody is connected its processes run on and their
 * results are kept, so that an agent that was killed finds both when it is back; after a grace
 * without an agent it kills everything and ends. Processes that left their group are found by a
 * mark in their environment.
 */
export type LauncherOptions = { readonly socketPath: string; readonly directory: string };

export function runLauncher({ socketPath, directory }: LauncherOptions): void {
  const boot = `${process.pid}-${Date.now().toString(36)}`;
  const running = new Map<string, LaunchedProcess & { readonly mark: string }>();
  const unacknowledged = new Map<string, LaunchEnd>();
  let agent: Socket | null = null;
  let isEnding = false;
  let launches = 0;
  /** Of its own socket: another launcher may have taken the place since. */
  let inode = 0;
  preferAsVictim();

  const send = (message: FromLauncher): void => {
    agent?.write(`${JSON.stringify(message)}\n`);
  };

  const ended = (end: LaunchEnd): void => {
    running.delete(end.id);
    unacknowledged.set(end.id, end);
    send({ k: 'ended', ...end });
    strays.look();
    if (isEnding && running.size === 0) leave();
  };

  const strays = makeStrayWatch(boot, () => new Set([...running.values()].map(({ mark }) => mark)));

  const start = (order: ToLauncher & { k: 'start' }): void => {
    if (running.has(order.id) || isEnding) return;
    launches += 1;
    const mark = `${boot}-${launches}`;
    const started = launch(order, { directory, mark }, ended);
    running.set(order.id, { ...started, mark });
  };

  const receive = (message: ToLauncher): void => {
    if (message.k === 'start') start(message);
    else if (message.k === 'stop') running.get(message.id)?.stop();
    else if (message.k === 'ack') unacknowledged.delete(message.id);
    else end();
  };

  const end = (): void => {
    isEnding = true;
    for (const process of running.values()) process.stop();
    if (running.size === 0) leave();
  };

  const leave = (): void => {
    for (const process of running.values()) process.kill();
    strays.killAll();
    try {
      if (lstatSync(socketPath).ino === inode) unlinkSync(socketPath);
    } catch {
      // Somebody else has tidied up.
    }
    process.exit(0);
  };

  const server = createServer((socket) => {
    // The newest agent is the one that lives.
    agent?.destroy();
    agent = socket;
    clearTimeout(grace);
    const readLine = (line: string): void => receive(JSON.parse(line) as ToLauncher);
    socket.on(
      'data',
      makeLineReader(launcherFrameBytesMax, readLine, () => socket.destroy()),
    );
    socket.on('error', () => {});
    socket.on('close', () => {
      if (agent !== socket) return;
      agent = null;
      if (running.size === 0 && unacknowledged.size === 0) leave();
      grace = setTimeout(leave, orphanGraceMs);
    });
    const names = [...running.keys(), ...unacknowledged.keys()];
    send({ k: 'hello', protocol: launcherProtocol, pid: process.pid, held: names });
    for (const one of unacknowledged.values()) send({ k: 'ended', ...one });
  });
  let grace = setTimeout(leave, orphanGraceMs);
  server.on('error', () => process.exit(1));
  server.listen(socketPath, () => {
    chmodSync(socketPath, 0o600);
    inode = lstatSync(socketPath).ino;
  });
  setInterval(() => {
    for (const process of running.values()) process.watch();
  }, outputWatchMs).unref();
  // A terminal's Ctrl-C and a session's end are the agent's business, which tells the launcher
  // what to do.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGPIPE'] as const) process.on(signal, () => {});
  process.on('SIGTERM', end);
}

/** When memory runs out, the kernel shall take chunks before it takes the agent. */
function preferAsVictim(): void {
  try {
    writeFileSync('/proc/self/oom_score_adj', '500');
  } catch {
    // Not allowed here; the kernel will choose by size.
  }
}

/**
 * Finds processes that were started for a chunk that has ended, however they have detached
 * themselves.
 */
function makeStrayWatch(boot: string, active: () => ReadonlySet<string>) {
  let isPlanned = false;
  let waitMs = strayCheckMs;
  const kill = (isStray: (mark: string) => boolean): void => {
    for (const pid of processesWith(launchMark, isStray)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It went by itself.
      }
    }
  };
  return {
    look() {
      if (isPlanned) return;
      isPlanned = true;
      setTimeout(() => {
        isPlanned = false;
        const startedAtMs = performance.now();
        const marks = active();
        kill((mark) => mark.startsWith(`${boot}-`) && !marks.has(mark));
        // A host with very many processes is looked through less often, so that it costs at most a
        // fiftieth.
        waitMs = Math.max(strayCheckMs, (performance.now() - startedAtMs) * 50);
      }, waitMs);
    },
    killAll: () => kill((mark) => mark.startsWith(`${boot}-`)),
  };
}
