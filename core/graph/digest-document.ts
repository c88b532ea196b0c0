import { chunksOf, formatRanges, fromChunks, parseRanges } from '../model/ranges.ts';
import { isCount, isRecord } from '../protocol/json.ts';
import type { Child, GraphDigest, Kind, Shape } from './digest.ts';
import { graphDigestBytesMax, graphKindsBytesMax } from './limits.ts';
import { isScalar, type Scalar } from './vertex.ts';

/**
 * A digest as it is stored: two texts, the tree and what is attached to it. A graph in which nearly
 * nothing is equal makes a tree that does not fit, and is refused with the number.
 */
export type DigestTexts = { readonly tree: string; readonly kinds: string };

export type WrittenDigest =
  | { readonly ok: true; readonly texts: DigestTexts }
  | { readonly ok: false; readonly reason: string };

export function writeDigest(digest: GraphDigest): WrittenDigest {
  const { vertices, counts, shapes, subsystems } = digest;
  const tree = JSON.stringify({
    v: vertices,
    c: [...counts],
    b: subsystems,
    s: shapes.map(({ type, size, unit, attached, children }) => [
      type,
      size,
      unit,
      formatRanges(fromChunks(attached)),
      children.map(({ shape, times }) => [shape, times]),
    ]),
  });
  const kinds = JSON.stringify(
    digest.kinds.map(({ subsystem, fields, attributes }) => [
      subsystem,
      [...fields].filter(([name, value]) => name !== 'size' || value !== 1),
      [...attributes],
    ]),
  );
  const treeBytes = byteLength(tree);
  if (treeBytes > graphDigestBytesMax) {
    const reason =
      `The graph has ${shapes.length} different parts, ${treeBytes} bytes of them; ` +
      `${graphDigestBytesMax} fit. Equal nodes count once.`;
    return { ok: false, reason };
  }
  const kindsBytes = byteLength(kinds);
  if (kindsBytes > graphKindsBytesMax) {
    const reason =
      `The subsystems have ${digest.kinds.length} different vertices, ${kindsBytes} bytes of ` +
      `them; ${graphKindsBytesMax} fit. Vertices that say the same count once.`;
    return { ok: false, reason };
  }
  return { ok: true, texts: { tree, kinds } };
}

function byteLength(text: string): number {
  let bytes = 0;
  for (const character of text) {
    const code = character.codePointAt(0)!;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}

/** What was written, from its parsed texts; null for what makes no sense. */
export function readDigest(tree: unknown, kinds: unknown): GraphDigest | null {
  if (!isRecord(tree) || !Array.isArray(tree.s) || !Array.isArray(kinds)) return null;
  const counts = readPairs(tree.c, isCount);
  const named = Array.isArray(tree.b) ? tree.b : [];
  const read = kinds.map(readKind).filter((kind) => kind !== null);
  if (!isCount(tree.v) || counts === null || read.length < kinds.length) return null;
  const shapes: Shape[] = [];
  for (const form of tree.s) {
    const shape = readShape(form, shapes.length, read.length);
    if (shape === null) return null;
    shapes.push(shape);
  }
  if (shapes.length === 0) return null;
  const subsystems = named.filter((name) => typeof name === 'string');
  return { vertices: tree.v, counts, shapes, kinds: read, subsystems };
}

function readPairs<T>(
  pairs: unknown,
  fits: (value: unknown) => value is T,
): ReadonlyMap<string, T> | null {
  if (!Array.isArray(pairs)) return null;
  const out = new Map<string, T>();
  for (const pair of pairs) {
    const [name, value]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    if (typeof name !== 'string' || !fits(value)) return null;
    out.set(name, value);
  }
  return out;
}

function readKind(form: unknown): Kind | null {
  const [subsystem, given, attributes]: readonly unknown[] = Array.isArray(form) ? form : [];
  const fields = readPairs(given, isScalar);
  const more = readPairs(attributes, isScalar);
  if (typeof subsystem !== 'string' || fields === null || more === null) return null;
  const whole: readonly (readonly [string, Scalar])[] = fields.has('size')
    ? [...fields]
    : [...fields, ['size', 1]];
  const sorted = [...whole].sort(([a], [b]) => (a < b ? -1 : 1));
  return { subsystem, fields: new Map(sorted), attributes: more };
}

/** Only shapes before it may be part of a shape: a stored cycle is no tree. */
function readShape(form: unknown, number: number, kinds: number): Shape | null {
  const [type, size, unit, attached, inner]: readonly unknown[] = Array.isArray(form) ? form : [];
  if (typeof type !== 'string' || !isCount(size) || typeof unit !== 'string') return null;
  const ranges = typeof attached === 'string' ? parseRanges(attached) : null;
  if (ranges === null || (ranges.at(-1) ?? 0) > kinds || !Array.isArray(inner)) return null;
  const children: Child[] = [];
  for (const pair of inner) {
    const [shape, times]: readonly unknown[] = Array.isArray(pair) ? pair : [];
    if (!isCount(shape) || shape >= number || !isCount(times)) return null;
    children.push({ shape, times });
  }
  return { type, size, unit, attached: [...chunksOf(ranges)], children };
}
