import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import {
  chunksOf,
  first,
  fromChunks,
  has,
  intersect,
  isEmpty,
  last,
  type RangeSet,
  rangeOf,
} from '../../core/model/ranges.ts';
import { isRecord } from '../../core/protocol/json.ts';
import { asTable, type Parameters, parseParameters } from '../../core/sweeps/parameters.ts';
import { makeDirectory, readJson, removeQuietly, writeDurably } from './data-directory.ts';

/**
 * Parameters of chunks that an edge has, on disk beside its identity: whoever starts again without
 * an uplink goes on with them. A file is one answer of the control plane, under the job, the hash
 * and the interval of its chunks; it goes when the edge has none of these any more.
 */
export type ParameterStore = {
  /** What is kept of these chunks. */
  load(edge: string, key: string, chunks: RangeSet): ReadonlyMap<number, Parameters>;
  save(edge: string, key: string, found: ReadonlyMap<number, Parameters>): void;
  /** By key the chunks that the edge has. */
  keepOnly(edge: string, held: ReadonlyMap<string, RangeSet>): void;
};

type Kept = { readonly key: string; readonly within: RangeSet };

const filePattern = /^([A-Za-z0-9_-]{1,200})\.(\d{1,9})-(\d{1,9})\.json$/;

export function openParameterStore(directoryOf: (edge: string) => string): ParameterStore {
  const known = new Map<string, Map<string, Kept>>();
  const placeOf = (edge: string): string => join(directoryOf(edge), 'parameters');
  const filesOf = (edge: string): Map<string, Kept> => {
    const files = known.get(edge) ?? filesIn(placeOf(edge));
    known.set(edge, files);
    return files;
  };
  return {
    load(edge, key, chunks) {
      const found = new Map<number, Parameters>();
      for (const [name, kept] of filesOf(edge)) {
        if (kept.key !== key || isEmpty(intersect(kept.within, chunks))) continue;
        for (const [chunk, one] of readFile(join(placeOf(edge), name))) {
          if (has(chunks, chunk)) found.set(chunk, one);
        }
      }
      return found;
    },
    save(edge, key, found) {
      const chunks = fromChunks(found.keys());
      if (isEmpty(chunks)) return;
      const name = `${key}.${first(chunks)}-${last(chunks)}.json`;
      const kept = keptAs(name);
      if (kept === null) return;
      try {
        makeDirectory(placeOf(edge));
        writeDurably(join(placeOf(edge), name), textOf(chunks, found));
        filesOf(edge).set(name, kept);
      } catch {
        // As for specs: a full disk costs only the work after the next restart without uplink.
      }
    },
    keepOnly(edge, held) {
      const files = filesOf(edge);
      for (const [name, { key, within }] of files) {
        const owned = held.get(key);
        if (owned !== undefined && !isEmpty(intersect(owned, within))) continue;
        removeQuietly(join(placeOf(edge), name));
        files.delete(name);
      }
    },
  };
}

/** What an earlier life left; what it did not finish goes. */
function filesIn(directory: string): Map<string, Kept> {
  const files = new Map<string, Kept>();
  for (const name of namesIn(directory)) {
    const kept = keptAs(name);
    if (kept === null) removeQuietly(join(directory, name));
    else files.set(name, kept);
  }
  return files;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

function keptAs(name: string): Kept | null {
  const found = filePattern.exec(name);
  if (found === null) return null;
  const [, key, from, to] = found;
  return { key: key!, within: rangeOf(Number(from), Math.max(Number(from), Number(to)) + 1) };
}

function textOf(chunks: RangeSet, found: ReadonlyMap<number, Parameters>): string {
  const entries = [...chunksOf(chunks)].map((chunk) => [chunk, asTable(found.get(chunk)!)]);
  return JSON.stringify(Object.fromEntries(entries));
}

function* readFile(file: string): Generator<readonly [number, Parameters]> {
  const document = readJson(file);
  if (!isRecord(document)) return;
  for (const [name, value] of Object.entries(document)) {
    const one = /^\d{1,9}$/.test(name) ? parseParameters(value) : null;
    if (one !== null) yield [Number(name), one];
  }
}
