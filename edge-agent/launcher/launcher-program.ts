import { chmodSync, lstatSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
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
  const running = makeRunning(boot, directory);
  const unacknowledged = new Map<string, LaunchEnd>();
  let agent: Socket | null = null;
  let isEnding = false;
  let inode = 0;
  preferAsVictim();

  const send = (message: FromLauncher): void => {
    agent?.write(`${JSON.stringify(message)}\n`);
  };

  const ended = (end: LaunchEnd): void => {
    running.remove(end.id);
    unacknowledged.set(end.id, end);
    send({ k: 'ended', ...end });
    strays.look();
    if (isEnding && running.ids().length === 0) leave();
  };

  const strays = makeStrayWatch(boot, running.marks);

  const receive = (message: ToLauncher): void => {
    if (message.k === 'start' && !isEnding) running.start(message, ended);
    else if (message.k === 'stop') running.stop(message.id);
    else if (message.k === 'ack') unacknowledged.delete(message.id);
    else if (message.k === 'shutdown') end();
  };

  const end = (): void => {
    isEnding = true;
    running.each((process) => process.stop());
    if (running.ids().length === 0) leave();
  };

  const leave = (): void => {
    running.each((process) => process.kill());
    strays.killAll();
    removeSocket(socketPath, inode);
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
      if (running.ids().length === 0 && unacknowledged.size === 0) leave();
      grace = setTimeout(leave, orphanGraceMs);
    });
    const names = [...running.ids(), ...unacknowledged.keys()];
    send({ k: 'hello', protocol: launcherProtocol, pid: process.pid, held: names });
    for (const one of unacknowledged.values()) send({ k: 'ended', ...one });
  });
  let grace = setTimeout(leave, orphanGraceMs);
  listen(server, socketPath, (own) => {
    inode = own;
  });
  setInterval(() => running.each((process) => process.watch()), outputWatchMs).unref();
  outliveTerminal();
  process.on('SIGTERM', end);
}

/** The processes that run, each with its mark. */
function makeRunning(boot: string, directory: string) {
  const running = new Map<string, LaunchedProcess & { readonly mark: string }>();
  let launches = 0;
  return {
    start(order: ToLauncher & { k: 'start' }, ended: (end: LaunchEnd) => void): void {
      if (running.has(order.id)) return;
      launches += 1;
      const mark = `${boot}-${launches}`;
      running.set(order.id, { ...launch(order, { directory, mark }, ended), mark });
    },
    stop: (id: string): void => running.get(id)?.stop(),
    remove: (id: string): boolean => running.delete(id),
    each: (act: (process: LaunchedProcess) => void): void => {
      for (const process of running.values()) act(process);
    },
    ids: (): string[] => [...running.keys()],
    marks: (): ReadonlySet<string> => new Set([...running.values()].map(({ mark }) => mark)),
  };
}

/** For its own user alone; says which file it is. */
function listen(server: Server, path: string, listening: (inode: number) => void): void {
  server.on('error', () => process.exit(1));
  server.listen(path, () => {
    chmodSync(path, 0o600);
    listening(lstatSync(path).ino);
  });
}

/** Only its own: another launcher may have taken the place since. */
function removeSocket(path: string, inode: number): void {
  try {
    if (lstatSync(path).ino === inode) unlinkSync(path);
  } catch {
    // Somebody else has tidied up.
  }
}

/**
 * A terminal's Ctrl-C and a session's end are the agent's business, which tells the launcher what
 * to do.
 */
function outliveTerminal(): void {
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGPIPE'] as const) process.on(signal, () => {});
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
