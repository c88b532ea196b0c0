/**
 * Boots the local cloud on the small application in `fixtures/notes`, on ports and in a state
 * directory of its own. It proves that the local cloud knows templates, not this product.
 */
import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { type Cloud, startCloud } from '../cloud.ts';
import { engine, streamShards } from './engine.ts';
import { temporaryDir } from './temporary-dir.ts';

export const notesDir = join(import.meta.dirname, 'fixtures', 'notes');

export type TemplateEdit = (
  resources: Record<string, { Properties: Record<string, unknown> }>,
) => void;

export type NotesOptions = {
  stateDir?: string;
  portBase?: number;
  parameters?: Record<string, string>;
  files?: Record<string, string>;
  allowedHosts?: string[];
  streamShards?: number;
  /** Changes the template before it is run. */
  edit?: TemplateEdit;
};

export type NotesCloud = Cloud & {
  readonly stateDir: string;
  readonly portBase: number;
  output(name: string): string;
};

export async function startNotes(options: NotesOptions = {}): Promise<NotesCloud> {
  const stateDir = options.stateDir ?? temporaryDir();
  const portBase = options.portBase ?? (await freePortBase());
  const outDir = options.edit === undefined ? notesDir : editedCopy(options.edit);
  const cloud = await startCloud({
    app: outDir,
    stack: 'Notes',
    portBase,
    stateDir,
    region: 'eu-west-1',
    engine,
    streamShards: options.streamShards ?? streamShards,
    parameters: options.parameters ?? {},
    files: options.files ?? {},
    allowedHosts: options.allowedHosts ?? [],
  }).catch((error: unknown) => {
    if (outDir !== notesDir) rmSync(outDir, { recursive: true });
    throw error;
  });
  return {
    ...cloud,
    stateDir,
    portBase,
    output: (name) => String(cloud.endpoints.outputs[name]),
    stop: async () => {
      await cloud.stop();
      if (options.stateDir === undefined) rmSync(stateDir, { recursive: true });
      if (outDir !== notesDir) rmSync(outDir, { recursive: true });
    },
  };
}

/** A copy of the application with a changed template; its functions stay where they are. */
export function editedCopy(edit: TemplateEdit): string {
  const dir = temporaryDir();
  const template = JSON.parse(readFileSync(join(notesDir, 'Notes.template.json'), 'utf8'));
  edit(template.Resources);
  writeFileSync(join(dir, 'Notes.template.json'), JSON.stringify(template));
  cpSync(join(notesDir, 'Notes.assets.json'), join(dir, 'Notes.assets.json'));
  symlinkSync(join(notesDir, 'functions'), join(dir, 'functions'));
  return dir;
}

/**
 * The first of ten neighbouring ports that are all free, below those that outgoing connections
 * take.
 */
export async function freePortBase(): Promise<number> {
  for (;;) {
    const base = 20_000 + Math.floor(Math.random() * 1_200) * 10;
    const free = await Promise.all(Array.from({ length: 10 }, (_, i) => isFree(base + i)));
    if (free.every(Boolean)) return base;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

/** Asks again until there is an answer; fails after `withinMs`. */
export async function eventually<T>(
  ask: () => Promise<T | undefined>,
  withinMs = 60_000,
): Promise<T> {
  const deadlineMs = Date.now() + withinMs;
  while (Date.now() < deadlineMs) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    await new Promise((resolve) => setTimeout(resolve, 15));
  }
  throw new Error(`nothing within ${withinMs} ms`);
}
