import { clashOf, pathProblem } from '../../core/files/file-path.ts';
import { inputUrlProblem } from '../../core/files/input-url.ts';
import { digestPattern } from '../../core/files/manifest.ts';
import type { JobInput } from '../../core/model/job.ts';
import { isRecord } from '../../core/protocol/json.ts';

/**
 * The inputs of a job as the control plane says them, read as hostile all the same; `null` when an
 * agent could not run by them. One that says more than is known here is not half understood.
 */
export function parseInputs(value: unknown): readonly JobInput[] | null {
  if (!Array.isArray(value)) return null;
  const inputs: JobInput[] = [];
  for (const item of value) {
    const input = parseInput(item);
    if (input === null) return null;
    inputs.push(input);
  }
  return clashOf(inputs.map(({ path }) => path)) === null ? inputs : null;
}

/** A parameter of the chunk says which file it is. */
const namePattern = /^\{[A-Za-z][A-Za-z0-9_.-]*\}$/;

const known: ReadonlySet<string> = new Set([
  'path',
  'sha256',
  'url',
  'manifest',
  'writable',
  'executable',
  'unpack',
]);

function parseInput(value: unknown): JobInput | null {
  if (!isRecord(value) || Object.keys(value).some((name) => !known.has(name))) return null;
  const { path: given, sha256, url, manifest, writable = false, executable = false } = value;
  const { unpack } = value;
  if (unpack !== undefined && (unpack !== 'tar.gz' || executable !== false)) return null;
  if (typeof given !== 'string' || typeof writable !== 'boolean') return null;
  if (typeof executable !== 'boolean') return null;
  const path = given.replace(/\/$/, '');
  if (pathProblem(path) !== null) return null;
  const isDigest = (digest: unknown): digest is string =>
    typeof digest === 'string' && (digestPattern.test(digest) || namePattern.test(digest));
  const isUrl = url === undefined || (typeof url === 'string' && inputUrlProblem(url) === null);
  if (!isUrl) return null;
  const more = writable ? { writable } : {};
  if (isDigest(sha256) && manifest === undefined) {
    const from = url === undefined ? {} : { url };
    const how = unpack === undefined ? {} : ({ unpack } as const);
    return { path, sha256, ...from, ...how, ...more, ...(executable ? { executable } : {}) };
  }
  const isOther = sha256 !== undefined || url !== undefined || unpack !== undefined;
  if (isDigest(manifest) && !isOther) return { path, manifest, ...more };
  return null;
}
