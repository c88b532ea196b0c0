import { chmodSync, lstatSync, unlinkSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import {
  launcherFrameBytesMax,
  orphanGraceMs,
  outputWatchMs,
  strayCheckMs,
  unclaimedEndsKeptMs,
} from '../limits.ts';
import { killMarked, type LaunchedProcess, launch } from './launched-process.ts';
import {
  decodeToLauncher,
  encodeFromLauncher,
  type FromLauncher,
  type LaunchEnd,
  type LauncherPlace,
  launcherProtocol,
  makeFrameReader,
  type ToLauncher,
} from './launcher-protocol.ts';

/**
 * The launcher where `native-launcher.ts` cannot be: the same for its agent, and larger.
 *
 * It outlives its agent on purpose. While nobody is connected its processes run on and their
 * results are kept, so that an agent that was killed finds both when it is back; after a grace
 * without an agent it kills what still runs, and what has ended waits for far longer. Processes
 * that left their group are found by a mark in their environment.
 */
export function runLauncher(place: LauncherPlace): void {
  preferAsVictim();
  const houses = new Set<House>();
  let opened = 0;
  const open = (at: LauncherPlace): void => {
    opened += 1;
    const boot = `${process.pid}-${Date.now().toString(36)}-${opened}`;
    const house = openHouse(at, boot, {
      serve: open,
      left() {
        houses.delete(house);
        if (houses.size === 0) process.exit(0);
      },
      // The first of them is what it was started for.
      failed: () => (houses.size === 1 ? process.exit(1) : houses.delete(house)),
    });
    houses.add(house);
  };
  open(place);
  outliveTerminal();
  process.on('SIGTERM', () => {
    for (const house of houses) house.end();
  });
}

/** One data directory that it serves, with a socket and processes of its own. */
type House = { end(): void };

type HouseDeps = {
  serve(place: LauncherPlace): void;
  left(): void;
  failed(): void;
};

function openHouse({ socketPath, directory }: LauncherPlace, boot: string, deps: HouseDeps): House {
  const running = makeRunning(boot, directory);
  const unacknowledged = new Map<string, LaunchEnd>();
  let agent: Socket | null = null;
  let isEnding = false;

  const send = (message: FromLauncher): void => {
    agent?.write(encodeFromLauncher(message));
  };

  const ended = (end: LaunchEnd): void => {
    running.remove(end.id);
    unacknowledged.set(end.id, end);
    send({ k: 'ended', ...end });
    strays.look();
    if (isEnding && running.ids().length === 0) leave();
  };

  const strays = makeStrayWatch(boot, running.marks);

  const receive = (message: ToLauncher | null): void => {
    if (message?.k === 'start' && !isEnding) running.start(message, ended);
    else if (message?.k === 'stop') running.stop(message.id);
    else if (message?.k === 'look') send(running.look(message));
    else if (message?.k === 'ack') unacknowledged.delete(message.id);
    else if (message?.k === 'serve') deps.serve(message);
    else if (message?.k === 'shutdown') end();
  };

  const end = (): void => {
    isEnding = true;
    running.stopAll();
    if (running.ids().length === 0) leave();
  };

  const leave = (): void => {
    grace.end();
    clearInterval(watch);
    running.killAll();
    strays.killAll();
    if (isListening()) unlinkSync(socketPath);
    server.close();
    const last = agent;
    agent = null;
    last?.end();
    deps.left();
  };

  const grace = makeGrace((isLate) => {
    running.killAll();
    strays.killAll();
    // Where its socket is gone, no agent ever comes back.
    if (isLate || unacknowledged.size === 0 || !isListening()) leave();
  });

  const server = createServer((socket) => {
    // The newest agent is the one that lives.
    agent?.destroy();
    agent = socket;
    grace.end();
    readOrders(socket, receive);
    socket.on('close', () => {
      if (agent !== socket) return;
      agent = null;
      if (running.ids().length === 0 && unacknowledged.size === 0) leave();
      else grace.begin();
    });
    const names = [...running.ids(), ...unacknowledged.keys()];
    send({ k: 'hello', protocol: launcherProtocol, pid: process.pid, held: names });
    for (const one of unacknowledged.values()) send({ k: 'ended', ...one });
  });
  grace.begin();
  server.on('error', deps.failed);
  const isListening = listenAt(server, socketPath);
  const watch = setInterval(running.watch, outputWatchMs);
  return { end };
}

/**
 * For its own user alone. Answers whether its socket is there: another launcher may have taken the
 * place since, or somebody has tidied up.
 */
function listenAt(server: Server, path: string): () => boolean {
  let inode: number | null = null;
  server.listen(path, () => {
    chmodSync(path, 0o600);
    inode = inodeOf(path);
  });
  return () => inode !== null && inodeOf(path) === inode;
}

/** What makes no sense is `null`; whoever sends too much of it is hung up on. */
function readOrders(socket: Socket, receive: (message: ToLauncher | null) => void): void {
  const onFrame = (body: Buffer): void => receive(decodeToLauncher(body));
  const refuse = (): void => void socket.destroy();
  socket.on('data', makeFrameReader(launcherFrameBytesMax, onFrame, refuse));
  socket.on('error', () => {});
}

/** Runs while no agent is there: again and again, and from some time on it is late. */
function makeGrace(isOver: (isLate: boolean) => void) {
  let timer: NodeJS.Timeout | undefined;
  return {
    begin(): void {
      const keptUntilMs = performance.now() + unclaimedEndsKeptMs;
      timer = setInterval(() => isOver(performance.now() >= keptUntilMs), orphanGraceMs);
    },
    end: (): void => clearInterval(timer),
  };
}

type Running = LaunchedProcess & { readonly mark: string; readonly disown: () => void };

/** The processes that run, each with its mark. */
function makeRunning(boot: string, directory: string) {
  const running = new Map<string, Running>();
  let launches = 0;
  return {
    start(order: ToLauncher & { k: 'start' }, ended: (end: LaunchEnd) => void): void {
      if (running.has(order.id)) return;
      launches += 1;
      const mark = `${boot}-${launches}`;
      let isAwaited = true;
      const tell = (end: LaunchEnd): void => {
        if (isAwaited) ended(end);
      };
      const disown = (): void => {
        isAwaited = false;
      };
      running.set(order.id, { ...launch(order, { directory, mark }, tell), mark, disown });
    },
    stop: (id: string): void => running.get(id)?.stop(),
    look: ({ id, from }: ToLauncher & { k: 'look' }): FromLauncher => {
      return { k: 'seen', id, part: running.get(id)?.look(from) ?? null };
    },
    remove: (id: string): boolean => running.delete(id),
    /** Nobody waits for their ends any more. */
    killAll(): void {
      for (const process of running.values()) {
        process.disown();
        process.kill();
      }
      running.clear();
    },
    watch(): void {
      for (const process of running.values()) process.watch();
    },
    stopAll(): void {
      for (const process of running.values()) process.stop();
    },
    ids: (): string[] => [...running.keys()],
    marks: (): ReadonlySet<string> => new Set([...running.values()].map(({ mark }) => mark)),
  };
}

function inodeOf(path: string): number | null {
  return lstatSync(path, { throwIfNoEntry: false })?.ino ?? null;
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
  return {
    look() {
      if (isPlanned) return;
      isPlanned = true;
      setTimeout(() => {
        isPlanned = false;
        const startedAtMs = performance.now();
        const marks = active();
        killMarked((mark) => mark.startsWith(`${boot}-`) && !marks.has(mark));
        // A host with very many processes is looked through less often, so that it costs at most a
        // fiftieth.
        waitMs = Math.max(strayCheckMs, (performance.now() - startedAtMs) * 50);
      }, waitMs);
    },
    killAll: () => killMarked((mark) => mark.startsWith(`${boot}-`)),
  };
}
