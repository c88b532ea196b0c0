import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Log } from '../host/log-lines.ts';
import { killCarriers } from '../host/process-table.ts';
import {
  launcherAgainMs,
  launcherFrameBytesMax,
  launcherLookMs,
  launcherStartMs,
  ownedLookMs,
  ownedLooksMax,
  socketPathBytesMax,
  stopWaitMs,
} from '../limits.ts';
import {
  decodeFromLauncher,
  encodeToLauncher,
  isSendable,
  type LaunchEnd,
  type LaunchOrder,
  launcherProtocol,
  makeFrameReader,
  nothingPrinted,
  type OutputPart,
  type ToLauncher,
} from './launcher-protocol.ts';
import {
  askForLauncher,
  baseEnvironment,
  joinLauncher,
  type LauncherConnection,
  leaveLauncher,
} from './shared-launcher.ts';

/**
 * The agent's side of the launcher: absent → (found alive, or started) → connected → lost. When it
 * is lost, its processes are killed by the owner's mark and every order ends as lost, to be run
 * again.
 */
export type Launcher = {
  /** Names the data directory among all of this host. */
  readonly owner: string;
  /**
   * Once for all who ask: what a launcher that outlived the agent's last life holds; everything
   * that nobody holds is killed.
   */
  recover(): Promise<readonly string[]>;
  /** So that the first order need not wait for it. */
  prepare(): void;
  start(order: LaunchOrder, ended: Ended): void;
  /** Takes charge of a process that `recover` found. */
  adopt(id: string, ended: Ended): void;
  stop(id: string): void;
  /** A part of what it has printed; `null`: it does not run, or nobody keeps that. */
  look(id: string, from: number): Promise<OutputPart | null>;
  close(): Promise<void>;
};

/** Names the data directory in the environment of everything that is started from it. */
export const ownerMark = 'EDGEWISE_OWNER';

export function makeLauncher(dataDirectory: string, log: Log): Launcher {
  return new SocketLauncher(dataDirectory, log);
}

/** `taken`: it is written down, and the launcher may forget it. */
type Ended = (end: LaunchEnd | 'lost', taken: () => void) => void;

const nothing = (): void => {};

class SocketLauncher implements Launcher {
  readonly #directory: string;
  readonly owner: string;
  #recovered: Promise<readonly string[]> | null = null;
  readonly #socketPath: string;
  readonly #log: Log;
  readonly #orders = new Map<string, Ended>();
  /** Ended before anybody took charge of it. */
  readonly #early = new Map<string, LaunchEnd>();
  readonly #looks = new Map<string, ((part: OutputPart | null) => void)[]>();
  #socket: Socket | null = null;
  #connecting: Promise<readonly string[]> | null = null;
  #outbox: ToLauncher[] = [];
  /** What is said in one turn goes in one piece. */
  #frames: Buffer[] = [];
  #isClosing = false;
  readonly #flush = (): void => {
    const frames = this.#frames;
    this.#frames = [];
    this.#socket?.write(frames.length === 1 ? frames[0]! : Buffer.concat(frames));
  };
  readonly #ask: LauncherConnection = (message) => this.#send(message);

  constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
    this.owner = createHash('sha256').update(realpathSync(directory)).digest('hex').slice(0, 16);
    this.#socketPath = socketPathFor(directory, this.owner);
  }

  recover(): Promise<readonly string[]> {
    this.#recovered ??= this.#recover();
    return this.#recovered;
  }

  async #recover(): Promise<readonly string[]> {
    if (isOurSocket(this.#socketPath)) {
      try {
        this.#connecting = this.#connect();
        return await this.#connecting;
      } catch {
        // A socket file without its launcher, as kill -9 and power loss leave it: it would keep the
        // next one from listening. What that launcher had started is found below.
        rmSync(this.#socketPath, { force: true });
      } finally {
        this.#connecting = null;
      }
    }
    await this.#killOwned();
    return [];
  }

  prepare(): void {
    if (this.#socket === null) this.#ensure();
  }

  start(order: LaunchOrder, ended: Ended): void {
    if (!isSendable(order)) {
      setImmediate(() => ended(impossible(order), nothing));
      return;
    }
    this.#orders.set(order.id, ended);
    const inherited = order.inherits ? baseEnvironment() : {};
    const env = { ...inherited, ...order.env };
    if (order.isMarked) env[ownerMark] = this.owner;
    this.#send({ k: 'start', ...order, env });
  }

  adopt(id: string, ended: Ended): void {
    const early = this.#early.get(id);
    this.#orders.set(id, ended);
    if (early === undefined) return;
    this.#early.delete(id);
    this.#settle(id, early);
  }

  stop(id: string): void {
    if (this.#orders.has(id) || this.#socket !== null) this.#send({ k: 'stop', id });
  }

  look(id: string, from: number): Promise<OutputPart | null> {
    if (this.#socket === null) return Promise.resolve(null);
    return new Promise((resolve) => {
      this.#looks.set(id, [...(this.#looks.get(id) ?? []), resolve]);
      this.#send({ k: 'look', id, from });
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    await this.#connecting?.catch(() => {});
    const socket = this.#socket;
    if (socket === null) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        socket.destroy();
        resolve();
      }, stopWaitMs);
      socket.once('close', () => {
        clearTimeout(timer);
        resolve();
      });
      leaveLauncher(this.#ask);
      this.#send({ k: 'shutdown' });
    });
    await this.#killOwned();
  }

  #send(message: ToLauncher): void {
    if (this.#socket !== null) {
      this.#frames.push(encodeToLauncher(message));
      if (this.#frames.length === 1) queueMicrotask(this.#flush);
      return;
    }
    if (message.k === 'start') {
      this.#outbox.push(message);
      this.#ensure();
      return;
    }
    if (message.k === 'stop') this.#withdraw(message.id);
  }

  /** Stopped before the launcher was there to start it. */
  #withdraw(id: string): void {
    this.#outbox = this.#outbox.filter((message) => !('id' in message && message.id === id));
    const ended = this.#orders.get(id);
    this.#orders.delete(id);
    ended?.('lost', nothing);
  }

  #ensure(): void {
    if (this.#connecting !== null || this.#isClosing) return;
    this.#connecting = this.#obtain();
    this.#connecting
      .catch(async (error: Error) => {
        this.#log(`Processes cannot be started: ${error.message}`, 'error');
        await new Promise((resolve) => setTimeout(resolve, launcherAgainMs));
        this.#lose();
      })
      .finally(() => {
        this.#connecting = null;
      });
  }

  /**
   * Its own may find the place taken by one that a killed agent had just started: then that one is
   * as good. So nothing is given up while there is a socket to be tried.
   */
  async #obtain(): Promise<readonly string[]> {
    const place = { socketPath: this.#socketPath, directory: this.#directory };
    const deadlineMs = performance.now() + launcherStartMs;
    let asked = askForLauncher(place);
    while (performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, launcherLookMs));
      if (existsSync(this.#socketPath)) {
        try {
          return await this.#connect();
        } catch {
          // The file is there before its owner listens.
        }
      } else if (asked === null) {
        asked = askForLauncher(place);
      } else if (asked.failure() !== null) {
        asked = askForLauncher(place);
        if (asked?.failure()) break;
      }
    }
    throw asked?.failure() ?? new Error('the launcher does not answer');
  }

  #connect(): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#socketPath);
      const timer = setTimeout(() => socket.destroy(), launcherStartMs);
      const onFrame = (body: Buffer): void => {
        const message = decodeFromLauncher(body);
        if (message === null) {
          socket.destroy();
        } else if (message.k === 'ended') {
          this.#ended(message);
        } else if (message.k === 'seen') {
          this.#looks.get(message.id)?.shift()?.(message.part);
        } else if (message.protocol !== launcherProtocol) {
          // An older agent's: what it runs is killed with it and started again.
          socket.end(encodeToLauncher({ k: 'shutdown' }));
        } else {
          clearTimeout(timer);
          this.#connected(socket);
          resolve(message.held);
        }
      };
      socket.on(
        'data',
        makeFrameReader(launcherFrameBytesMax, onFrame, () => socket.destroy()),
      );
      socket.on('error', reject);
      socket.on('close', () => {
        clearTimeout(timer);
        reject(new Error('the launcher hung up'));
        if (this.#socket === socket) this.#lost();
      });
    });
  }

  #connected(socket: Socket): void {
    this.#socket = socket;
    joinLauncher(this.#ask);
    const waiting = this.#outbox;
    this.#outbox = [];
    for (const message of waiting) this.#send(message);
  }

  #ended(end: LaunchEnd): void {
    if (this.#orders.has(end.id)) this.#settle(end.id, end);
    else this.#early.set(end.id, end);
  }

  /** Acknowledged only after whoever asked has taken it in, which writes it to the journal. */
  #settle(id: string, end: LaunchEnd): void {
    const ended = this.#orders.get(id);
    this.#orders.delete(id);
    ended?.(end, () => this.#send({ k: 'ack', id }));
  }

  #lost(): void {
    this.#socket = null;
    this.#frames = [];
    for (const looks of this.#looks.values()) for (const look of looks) look(null);
    this.#looks.clear();
    leaveLauncher(this.#ask);
    if (this.#isClosing) return;
    this.#log('The launcher is gone; what it ran is started again.', 'warning');
    rmSync(this.#socketPath, { force: true });
    void this.#killOwned().then(() => this.#lose());
  }

  #lose(): void {
    this.#outbox = [];
    const orders = [...this.#orders.values()];
    this.#orders.clear();
    for (const ended of orders) ended('lost', nothing);
  }

  /** Until none is found, because a process that is being killed may just have forked. */
  async #killOwned(): Promise<void> {
    for (let tries = 0; tries < ownedLooksMax; tries++) {
      if (!killCarriers(ownerMark, (owner) => owner === this.owner)) return;
      await new Promise((resolve) => setTimeout(resolve, ownedLookMs));
    }
  }
}

function socketPathFor(directory: string, owner: string): string {
  const near = join(directory, 'launcher.sock');
  if (Buffer.byteLength(near) <= socketPathBytesMax) return near;
  const shelter = join(tmpdir(), `edgewise-${process.getuid?.() ?? 0}`);
  mkdirSync(shelter, { recursive: true, mode: 0o700 });
  return join(shelter, `${owner}.sock`);
}

/** In a shared directory somebody else may have put a socket there. */
function isOurSocket(path: string): boolean {
  try {
    const stat = lstatSync(path);
    return stat.isSocket() && stat.uid === (process.getuid?.() ?? stat.uid);
  } catch {
    return false;
  }
}

/** No program takes such words. */
function impossible({ id, argv }: LaunchOrder): LaunchEnd {
  const error = `ERR_INVALID_ARG_VALUE ${(argv[0] ?? '').replaceAll('\0', '')}`;
  const none = {
    code: null,
    signal: null,
    isTimeout: false,
    isStopped: false,
  };
  return { id, ...none, error, durationMs: 0, ...nothingPrinted, errors: null };
}
