import { type FieldError, pointerOf } from '../contract/validation.ts';
import { validationErrorsMax } from '../model/limits.ts';
import { isRecord } from '../protocol/json.ts';
import { vertexTextLengthMax } from './limits.ts';
import { readVertex, type Vertex } from './vertex.ts';

/**
 * Reads a document in JSON Graph Format 2: vertices by their id, and edges between them. It knows
 * no tree yet: what the edges of a cluster or of a subsystem mean is decided by who asked.
 *
 * Refuses whatever is no graph, each time with a pointer to the place, and goes on to the next
 * mistake until there are more than anybody mends at once.
 */
export type GraphEdge = {
  readonly source: string;
  readonly target: string;
  readonly relation: string;
  /** Its place in the document. */
  readonly at: number;
};

export type JsonGraph = {
  readonly vertices: ReadonlyMap<string, Vertex>;
  readonly edges: readonly GraphEdge[];
};

export type Path = readonly (string | number)[];

export type Checked<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly errors: readonly FieldError[] };

/** Mistakes, as many as an answer names; their pointers begin at `base`. */
export class Mistakes {
  readonly errors: FieldError[] = [];
  readonly #base: Path;

  constructor(base: Path) {
    this.#base = base;
  }

  add(path: Path, message: string): void {
    if (this.full) return;
    this.errors.push({ pointer: pointerOf([...this.#base, ...path]), message });
  }

  get full(): boolean {
    return this.errors.length >= validationErrorsMax;
  }

  get none(): boolean {
    return this.errors.length === 0;
  }
}

/** How a text from outside is shown in a sentence. */
export function shown(text: string): string {
  return JSON.stringify(text.length > 64 ? `${text.slice(0, 64)}…` : text);
}

type Bounds = { readonly vertices: number; readonly edges: number };

/** Null when a mistake was found that leaves nothing to look at. */
export function readGraph(document: unknown, mistakes: Mistakes, max: Bounds): JsonGraph | null {
  if (!isRecord(document) || !isRecord(document.graph)) {
    const path = isRecord(document) ? ['graph'] : [];
    mistakes.add(path, 'A graph is an object with "graph", and in it "nodes" and "edges".');
    return null;
  }
  const { nodes, edges = [], directed } = document.graph;
  if (directed === false) mistakes.add(['graph', 'directed'], 'The graph must be directed.');
  if (!isRecord(nodes)) {
    mistakes.add(['graph', 'nodes'], 'The vertices are an object, each under its id.');
    return null;
  }
  if (!Array.isArray(edges)) {
    mistakes.add(['graph', 'edges'], 'The edges are a list.');
    return null;
  }
  const entries = Object.entries(nodes);
  if (entries.length > max.vertices) {
    mistakes.add(['graph', 'nodes'], `A graph has at most ${max.vertices} vertices here.`);
  }
  if (edges.length > max.edges) {
    mistakes.add(['graph', 'edges'], `A graph has at most ${max.edges} edges here.`);
  }
  if (entries.length === 0) mistakes.add(['graph', 'nodes'], 'The graph has no vertex.');
  if (!mistakes.none) return null;
  const vertices = readVertices(entries, mistakes);
  const read = readEdges(edges, mistakes);
  return { vertices, edges: read };
}

function readVertices(
  entries: readonly (readonly [string, unknown])[],
  mistakes: Mistakes,
): ReadonlyMap<string, Vertex> {
  const vertices = new Map<string, Vertex>();
  for (const [id, value] of entries) {
    if (mistakes.full) break;
    if (id === '' || id.length > vertexTextLengthMax) {
      mistakes.add(['graph', 'nodes', id], 'The id of a vertex has 1 to 256 characters.');
    }
    const refuse = (path: Path, message: string) =>
      mistakes.add(['graph', 'nodes', id, ...path], message);
    vertices.set(id, readVertex(value, refuse));
  }
  return vertices;
}

function readEdges(edges: readonly unknown[], mistakes: Mistakes): readonly GraphEdge[] {
  const read: GraphEdge[] = [];
  for (const [at, edge] of edges.entries()) {
    if (mistakes.full) break;
    const path = ['graph', 'edges', at];
    if (!isRecord(edge)) {
      mistakes.add(path, 'An edge is an object with "source" and "target".');
      continue;
    }
    const { source, target, relation = 'contains' } = edge;
    if (typeof source !== 'string') mistakes.add([...path, 'source'], idSentence);
    if (typeof target !== 'string') mistakes.add([...path, 'target'], idSentence);
    if (typeof relation !== 'string') {
      mistakes.add([...path, 'relation'], 'A relation is a text, like "contains".');
    }
    if (typeof source !== 'string' || typeof target !== 'string') continue;
    read.push({ source, target, relation: String(relation), at });
  }
  return read;
}

const idSentence = 'An end of an edge is the id of a vertex, a text.';
