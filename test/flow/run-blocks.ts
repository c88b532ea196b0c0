import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type GuideBlock, scriptOf } from '../docs/guide-blocks.ts';
import type { Place } from './start/stage.ts';
import { root } from './start/stage.ts';

/**
 * Runs the commands of a page as somebody does who reads it: one block after the other, each in a
 * shell that has the variables of the block before it, and beside them what belongs into another
 * terminal, until the page is over.
 */
export async function runBlocks(
  blocks: readonly GuideBlock[],
  place: { readonly directory: string; readonly env: NodeJS.ProcessEnv },
): Promise<void> {
  const others: Started[] = [];
  try {
    for (const block of blocks) {
      if (block.where === 'beside') others.push(start(place, scriptOf(block)));
      if (block.where !== 'here') continue;
      const { code, text } = await start(place, inSession(block)).ended;
      const beside = others.map((other) => other.text()).join('\n');
      expect(code, `${block.page}:${block.line}\n${block.text}\n\n${text}\n${beside}`).toBe(0);
    }
  } finally {
    for (const { child } of others) interrupt(child);
    await Promise.all(others.map(({ ended }) => ended));
  }
}

/** Ports for what a page starts itself: behind those of the stage. */
export function portsBehind({ portBase }: Place): number {
  return portBase + portsOfStage;
}

const portsOfStage = 10;

/** A directory with `edgewise` and other words, for the path. */
export function makeCommands(
  directory: string,
  others: Readonly<Record<string, string | undefined>> = {},
): string {
  const bin = join(directory, 'bin');
  mkdirSync(bin);
  const edgewise = `"${process.execPath}" "${join(root, 'bin/edgewise.mjs')}"`;
  for (const [name, program] of Object.entries({ edgewise, ...others })) {
    if (program === undefined || program === name) continue;
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${program} "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  return bin;
}

type Ended = { readonly code: number | null; readonly text: string };
type Started = {
  readonly child: ChildProcess;
  readonly text: () => string;
  readonly ended: Promise<Ended>;
};

function start(
  { directory, env }: { readonly directory: string; readonly env: NodeJS.ProcessEnv },
  script: string,
): Started {
  const child = spawn('bash', ['-c', script], {
    cwd: directory,
    // A group of its own, so that Ctrl-C reaches all of it, as in a terminal.
    detached: true,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      text += String(part);
    });
  }
  const ended = new Promise<Ended>((resolve) => {
    child.on('close', (code) => resolve({ code, text }));
  });
  return { child, text: () => text, ended };
}

/** What a shell exports goes to the next one. */
function inSession(block: GuideBlock): string {
  const kept = '.session';
  const lines = [`[ ! -f ${kept} ] || . ./${kept}`, `trap 'export -p > ${kept}' EXIT`];
  return [...lines, scriptOf(block)].join('\n');
}

function interrupt({ pid }: ChildProcess): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGINT');
  } catch {
    // It has ended by itself.
  }
}
