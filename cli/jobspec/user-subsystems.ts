import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { GraphDigest, Kind } from '../../core/graph/digest.ts';
import { type JsonGraph, Mistakes, readGraph } from '../../core/graph/json-graph.ts';
import {
  subsystemBytesMax,
  subsystemEdgesMax,
  subsystemVerticesMax,
} from '../../core/graph/limits.ts';
import { usage } from '../failure.ts';
import { documentOf, readSpecText } from '../input/spec-file.ts';
import { userSubsystemsMax } from '../limits.ts';
import type { Terminal } from '../terminal.ts';

/**
 * Subsystems of a user's own, in files: what is installed here, whoever the cluster belongs to.
 * Each file is a graph; the type of the vertex that contains the others is the subsystem's name.
 */
export async function readUserSubsystems(terminal: Terminal, given: string): Promise<GraphDigest> {
  const directory = resolve(terminal.directory, given);
  const files = await filesIn(directory);
  if (files.length === 0) {
    throw usage(
      `${directory} holds no subsystem.`,
      'Put graphs there, as files that end in .json.',
    );
  }
  if (files.length > userSubsystemsMax) {
    throw usage(`${directory} holds more than ${userSubsystemsMax} files.`);
  }
  const kinds: Kind[] = [];
  const subsystems = new Set<string>();
  for (const file of files) {
    const graph = await readOne(terminal, file);
    const name = nameOf(graph);
    subsystems.add(name);
    for (const { fields, attributes } of graph.vertices.values()) {
      kinds.push({ subsystem: name, fields, attributes });
    }
  }
  return {
    vertices: 0,
    counts: new Map(),
    shapes: [],
    kinds,
    subsystems: [...subsystems].sort(),
  };
}

/** Also one folder down, where tools that make them put each into its own. */
async function filesIn(directory: string): Promise<readonly string[]> {
  const list = (path: string) => readdir(path, { withFileTypes: true });
  let entries: Awaited<ReturnType<typeof list>>;
  try {
    entries = await list(directory);
  } catch {
    throw usage(`There is no directory ${directory}.`, 'Give another with --subsystem-dir.');
  }
  const files: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isFile() && entry.name.endsWith('.json')) files.push(path);
    if (!entry.isDirectory()) continue;
    const inner = await list(path);
    files.push(...inner.filter((it) => it.isFile()).map((it) => join(path, it.name)));
  }
  return files.filter((path) => path.endsWith('.json')).sort();
}

async function readOne(terminal: Terminal, file: string): Promise<JsonGraph> {
  const mistakes = new Mistakes([]);
  const document = documentOf(await readSpecText(terminal, file, subsystemBytesMax), file);
  const graph = readGraph(document, mistakes, {
    vertices: subsystemVerticesMax,
    edges: subsystemEdgesMax,
  });
  if (graph !== null && mistakes.none) return graph;
  const lines = mistakes.errors.map(({ pointer, message }) => `${pointer || '/'}: ${message}`);
  throw usage(`${file} is no subsystem.`, lines.join('\n  '));
}

function nameOf({ vertices, edges }: JsonGraph): string {
  const inner = new Set(edges.flatMap((it) => (it.relation === 'contains' ? [it.target] : [])));
  const root = [...vertices].find(([id]) => !inner.has(id)) ?? [...vertices][0]!;
  return root[1].type;
}
