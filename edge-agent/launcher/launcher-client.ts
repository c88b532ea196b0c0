import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, realpathSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { processesWith } from '../host/process-table.ts';
import { launcherFrameBytesMax, launcherStartMs, stopWaitMs } from '../limits.ts';
import {
  type FromLauncher,
  type LaunchEnd,
  type LaunchOrder,
  launcherProtocol,
  makeLineReader,
  type ToLauncher,
} from './launcher-protocol.ts';

/**
 * The agent's side of the launcher: absent → (found alive at the start, or started with the first
 * order) → connected → lost. When it is lost, its processes are killed by the owner's mark and
 * every order ends as lost, to be run again.
 */
export type Launcher = {
  /** Names the data directory among all of this host. */
  readonly owner: string;
  /**
   * Once for all who ask: what a launcher that outlived the agent's last life holds; everything
   * that nobody holds is killed.
   */
  recover(): Promise<readonly string[]>;
  start(order: LaunchOrder, ended: (end: LaunchEnd | 'lost') => void): void;
  /** Takes charge of a process that `recover` found. */
  adopt(id: string, ended: (end: LaunchEnd | 'lost') => void): void;
  stop(id: string): void;
  close(): Promise<void>;
};

/** Names the data directory in the environment of everything that is started from it. */
export const ownerMark = 'EDGEWISE_OWNER';

export function makeLauncher(dataDirectory: string, log: (line: string) => void): Launcher {
  return new SocketLauncher(dataDirectory, log);
}

/**
 * Whatever is lost is ordered again at once, so a launcher that cannot start must not end its
 * orders at once.
 */
const startAgainMs = 1_000;

type Ended = (end: LaunchEnd | 'lost') => void;

class SocketLauncher implements Launcher {
  readonly #directory: string;
  readonly owner: string;
  #recovered: Promise<readonly string[]> | null = null;
  readonly #socketPath: string;
  readonly #log: (line: string) => void;
  readonly #orders = new Map<string, Ended>();
  /** Ended before anybody took charge of it. */
  readonly #early = new Map<string, LaunchEnd>();
  #socket: Socket | null = null;
  #connecting: Promise<readonly string[]> | null = null;
  #outbox: ToLauncher[] = [];
  #isClosing = false;

  constructor(directory: string, log: (line: string) => void) {
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

  start(order: LaunchOrder, ended: Ended): void {
    this.#orders.set(order.id, ended);
    const env = order.isMarked ? { ...order.env, [ownerMark]: this.owner } : order.env;
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
      socket.write(`${JSON.stringify({ k: 'shutdown' })}\n`);
    });
    await this.#killOwned();
  }

  #send(message: ToLauncher): void {
    if (this.#socket !== null) {
      this.#socket.write(`${JSON.stringify(message)}\n`);
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
    ended?.('lost');
  }

  #ensure(): void {
    if (this.#connecting !== null || this.#isClosing) return;
    this.#connecting = this.#startProgram();
    this.#connecting
      .catch(async (error: Error) => {
        this.#log(`Processes cannot be started: ${error.message}`);
        await new Promise((resolve) => setTimeout(resolve, startAgainMs));
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
  async #startProgram(): Promise<readonly string[]> {
    const [file, ...args] = programOf(this.#socketPath, this.#directory);
    const child = spawn(file!, args, { detached: true, stdio: 'ignore', env: baseEnvironment() });
    let failure: Error | null = null;
    child.once('error', (error) => {
      failure = error;
    });
    child.once('exit', (code) => {
      failure = new Error(`the launcher ended with code ${code}`);
    });
    child.unref();
    const deadlineMs = performance.now() + launcherStartMs;
    while (performance.now() < deadlineMs) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      if (existsSync(this.#socketPath)) {
        try {
          return await this.#connect();
        } catch {
          // The file is there before its owner listens.
        }
      } else if (failure !== null) {
        throw failure;
      }
    }
    throw failure ?? new Error('the launcher does not answer');
  }

  #connect(): Promise<readonly string[]> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.#socketPath);
      const timer = setTimeout(() => socket.destroy(), launcherStartMs);
      const onLine = (line: string): void => {
        const message = JSON.parse(line) as FromLauncher;
        if (message.k === 'ended') {
          this.#ended(message);
        } else if (message.protocol !== launcherProtocol) {
          // An older agent's: what it runs is killed with it and started again.
          socket.end(`${JSON.stringify({ k: 'shutdown' })}\n`);
        } else {
          clearTimeout(timer);
          this.#connected(socket);
          resolve(message.held);
        }
      };
      socket.on(
        'data',
        makeLineReader(launcherFrameBytesMax, onLine, () => socket.destroy()),
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
    for (const message of this.#outbox) socket.write(`${JSON.stringify(message)}\n`);
    this.#outbox = [];
  }

  #ended(end: LaunchEnd): void {
    if (this.#orders.has(end.id)) this.#settle(end.id, end);
    else this.#early.set(end.id, end);
  }

  /** Acknowledged only after whoever asked has taken it in, which writes it to the journal. */
  #settle(id: string, end: LaunchEnd): void {
    const ended = this.#orders.get(id);
    this.#orders.delete(id);
    ended?.(end);
    this.#send({ k: 'ack', id });
  }

  #lost(): void {
    this.#socket = null;
    if (this.#isClosing) return;
    this.#log('The launcher is gone; what it ran is started again.');
    rmSync(this.#socketPath, { force: true });
    void this.#killOwned().then(() => this.#lose());
  }

  #lose(): void {
    this.#outbox = [];
    const orders = [...this.#orders.values()];
    this.#orders.clear();
    for (const ended of orders) ended('lost');
  }

  /** Until none is found, because a process that is being killed may just have forked. */
  async #killOwned(): Promise<void> {
    for (let tries = 0; tries < 100; tries++) {
      const pids = processesWith(ownerMark, (owner) => owner === this.owner);
      if (pids.length === 0) return;
      for (const pid of pids) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It went by itself.
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }
}

/**
 * The kernel takes 107 bytes; a deeper data directory gets its socket in a private directory of
 * the user.
 */
const socketPathMax = 100;

function socketPathFor(directory: string, owner: string): string {
  const near = join(directory, 'launcher.sock');
  if (Buffer.byteLength(near) <= socketPathMax) return near;
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

/** From source the launcher is a small program of its own; a single binary starts itself again. */
function programOf(socketPath: string, directory: string): string[] {
  const source = import.meta.url.startsWith('file:')
    ? fileURLToPath(new URL('./launcher-main.ts', import.meta.url))
    : '';
  if (source !== '' && !source.includes('$bunfs') && existsSync(source)) {
    return [process.execPath, '--no-warnings', source, socketPath, directory];
  }
  const isInsideCli = process.argv[2] === 'agent';
  const isBinary = process.argv[1] === undefined || process.argv[1].includes('$bunfs');
  const itself = isBinary ? [process.execPath] : [process.execPath, process.argv[1]!];
  return [...itself, ...(isInsideCli ? ['agent'] : []), 'launcher', socketPath, directory];
}

/**
 * What a chunk inherits: enough to find programs, homes and the schedulers of this host, and no
 * credential of the agent.
 */
const inherited = new RegExp(
  '^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LC_.*|TZ|TMPDIR|LD_LIBRARY_PATH|XDG_RUNTIME_DIR|' +
    'SLURM_CONF|FLUX_URI|DOCKER_HOST|DOCKER_CONTEXT|CONTAINER_HOST)$',
);

function baseEnvironment(): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [key, value] of Object.entries(process.env)) {
    if (value !== undefined && inherited.test(key)) env[key] = value;
  }
  return env;
}
