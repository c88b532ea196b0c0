/**
 * Runs one of the two database engines as a child process and waits until it answers. Everybody but
 * the local cloud reaches it through the gateway.
 */
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { type Child, startChild } from '../../engine/child.ts';
import { busySentence } from '../../engine/ports.ts';
import type { Reaper } from '../../engine/reaper.ts';
import type { StateStore } from '../../engine/state-store.ts';
import { messageOf, StartFailure } from '../../failure.ts';
import { databaseRestartsMax, databaseStartMsMax, stopGraceMs } from '../../limits.ts';
import { type DatabaseClient, databaseClient } from './client.ts';
import { dynamodbLocalProgram } from './dynamodb-local.ts';
import { dynoxideBinary, dynoxideProgram } from './dynoxide.ts';
import { type EngineAddress, engineAddress } from './engine-address.ts';
import type { DatabaseProgram } from './program.ts';

export type EngineName = 'dynoxide' | 'dynamodb-local';

export type Database = {
  readonly engine: EngineName;
  readonly client: DatabaseClient;
  /** Resolves when the engine is gone for good. */
  readonly failed: Promise<string>;
  close(): Promise<void>;
};

const programs = { dynoxide: dynoxideProgram, 'dynamodb-local': dynamodbLocalProgram } as const;

/**
 * How this engine is started, keeping its data in a directory, or in memory only with `null`. One
 * that cannot run on this machine is a sentence.
 */
export function databaseProgram(
  engine: EngineName,
  dataDir: string | null,
  address: EngineAddress,
): DatabaseProgram {
  const program = programs[engine](dataDir, address);
  if (program !== undefined) return program;
  if (engine === 'dynoxide') {
    throw new StartFailure(
      `There is no dynoxide binary for ${process.platform}-${process.arch}; ` +
        'install Java 17 and use --database dynamodb-local.',
    );
  }
  const isOnly = dynoxideBinary() === undefined;
  throw new StartFailure(
    'The database needs Java 17 (Debian: apt-get install openjdk-17-jre-headless)' +
      (isOnly ? ' because there is no native binary for this platform.' : '.'),
  );
}

export type DatabaseOptions = {
  engine: EngineName | undefined;
  port: number;
  /** The key that its data is kept under. */
  accessKeyId: string;
  stateDir: string;
  store: StateStore;
  reaper: Reaper;
};

/**
 * `starting → running → (ended → starting)* → closed`: an engine that ends by itself is started
 * again, as a service would be; its files keep what it acknowledged. One that keeps ending gives up
 * with a sentence.
 */
export async function startDatabase(options: DatabaseOptions): Promise<Database> {
  const dataDir = join(options.stateDir, 'database');
  mkdirSync(dataDir, { recursive: true });
  const engine = options.engine ?? defaultEngine();
  const address = engineAddress(engine, options.port, options.accessKeyId);
  const program = databaseProgram(engine, dataDir, address);
  const logPath = join(options.stateDir, 'logs', 'database.log');
  let child = await startProgram(options, address, program, logPath);
  let closing = false;
  let restarts = 0;
  const supervise = async (): Promise<string> => {
    for (;;) {
      await child.exited;
      if (closing) return new Promise<string>(() => undefined);
      restarts += 1;
      if (restarts > databaseRestartsMax) return `The database keeps ending; see ${logPath}.`;
      try {
        child = await startProgram(options, address, program, logPath);
      } catch (error) {
        return messageOf(error);
      }
    }
  };
  const client = databaseClient(address);
  const close = async (): Promise<void> => {
    closing = true;
    client.close();
    await child.stop();
  };
  return { engine, client, failed: supervise(), close };
}

async function startProgram(
  options: DatabaseOptions,
  address: EngineAddress,
  program: DatabaseProgram,
  logPath: string,
): Promise<Child> {
  await portFree(address);
  const { ready, ...start } = program;
  const child = startChild({
    name: 'database',
    ...start,
    env: { PATH: process.env['PATH'] ?? '', HOME: options.stateDir },
    logPath,
    reaper: options.reaper,
    store: options.store,
  });
  await answering(child, address, logPath);
  ready?.();
  return child;
}

/** Without a wish it is the one that starts without Java, where there is a binary of it. */
function defaultEngine(): EngineName {
  return dynoxideBinary() === undefined ? 'dynamodb-local' : 'dynoxide';
}

/** An engine that was killed a moment ago may still hold its port: that is waited for, briefly. */
async function portFree({ port }: EngineAddress): Promise<void> {
  const deadlineMs = performance.now() + stopGraceMs;
  while (await accepts('127.0.0.1', port)) {
    if (performance.now() > deadlineMs) throw new StartFailure(busySentence(port));
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function answering(
  child: Child,
  { host, port }: EngineAddress,
  logPath: string,
): Promise<void> {
  let ended = false;
  void child.exited.then(() => {
    ended = true;
  });
  const deadlineMs = performance.now() + databaseStartMsMax;
  while (performance.now() < deadlineMs) {
    if (ended) throw new StartFailure(`The database did not start; see ${logPath}.`);
    if (await accepts(host, port)) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  await child.stop();
  throw new StartFailure(`The database did not answer in time; see ${logPath}.`);
}

function accepts(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}
