import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Client, type Ended, runClient, startClient } from '../cli/client.ts';
import type { Product } from '../product.ts';
import { killHard, until } from '../start/stage.ts';

/** A cluster whose agent runs what it gets as processes of this host, whatever its graph says. */
export type ProcessCluster = {
  readonly name: string;
  /** Each command that a chunk called by a name that stands in for a program, one line each. */
  readonly calls: string;
  start(): void;
};

const programs = 'programs';

/** Programs that chunks call: they write down that they were, and do something quick. */
function standIns(directory: string, calls: string): string {
  const bin = join(directory, programs);
  mkdirSync(bin, { recursive: true });
  const note = `printf '%s\\n' "$(basename "$0") $(printf '%s' "$*" | tr '\\n' ' ')" >> "${calls}"`;
  const write = (name: string, then: string) => {
    writeFileSync(join(bin, name), `#!/bin/sh\n${note}\n${then}\n`);
    chmodSync(join(bin, name), 0o755);
  };
  write('sleep', 'exec /bin/sleep 0.2');
  write('bash', 'exec /bin/bash "$@"');
  for (const name of ['spack', 'ior']) write(name, 'exit 0');
  return bin;
}

export function processCluster(product: Product, name: string, pool: string): ProcessCluster {
  const { directory } = product.place;
  const calls = join(directory, `${name}.calls`);
  const bin = standIns(directory, calls);
  const words = ['agent', '--name', name, '--pool', pool, '--quiet', '--executor', 'process'];
  const data = ['--data', join(directory, 'agents', name)];
  const env = { PATH: `${bin}:${process.env.PATH}` };
  const agents: Client[] = [];
  return {
    name,
    calls,
    start: () => {
      agents.push(startClient(directory, [...words, ...data], env));
    },
  };
}

/** What it is made of, and what it has besides. */
export async function describe(
  product: Product,
  name: string,
  graph: object,
  has: Readonly<Record<string, number>> = {},
): Promise<void> {
  const file = join(product.place.directory, `${name}.json`);
  writeFileSync(file, JSON.stringify(graph));
  const cli = (...more: string[]): Promise<Ended> => runClient(product.place.directory, ...more);
  const resources = Object.entries(has).flatMap(([type, count]) => [
    '--resource',
    `${type}=${count}`,
  ]);
  const described = await cli('cluster', 'nodes', name, '--file', file);
  expect(described, described.err).toMatchObject({ code: 0 });
  if (resources.length === 0) return;
  const set = await cli('edge', 'set', name, ...resources);
  expect(set, set.err).toMatchObject({ code: 0 });
}

/** A graph of equal nodes. */
export function equalNodes(nodes: number, below: Readonly<Record<string, number>>) {
  const vertices: Record<string, object> = { c: { metadata: { type: 'cluster' } } };
  const edges: object[] = [];
  const add = (id: string, parent: string, type: string, size: number) => {
    vertices[id] = { metadata: { type, size } };
    edges.push({ source: parent, target: id, relation: 'contains' });
  };
  for (let node = 0; node < nodes; node++) {
    add(`n${node}`, 'c', 'node', 1);
    for (const [type, size] of Object.entries(below)) add(`${type}${node}`, `n${node}`, type, size);
  }
  return { graph: { nodes: vertices, edges } };
}

/** kill -9 of the control plane, of agents and of what they run, at the same moment. */
export async function killEverything(product: Product): Promise<void> {
  for (const { pid } of product.place.pids()) killHard(pid);
  await until('nothing of it runs', () => {
    for (const { pid } of product.place.pids()) killHard(pid);
    return product.place.pids().length === 0;
  });
}
