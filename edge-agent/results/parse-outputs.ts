import { outputPathsMax, outputsMbMax } from '../../core/files/limits.ts';
import { patternProblem } from '../../core/files/result-pattern.ts';
import type { JobOutputs } from '../../core/model/job.ts';
import { isRecord } from '../../core/protocol/json.ts';

const known: ReadonlySet<string> = new Set(['paths', 'on', 'maxMb']);

/** What the control plane says of results, as hostile input; `null` when it makes no sense. */
export function parseOutputs(value: unknown): JobOutputs | null {
  if (!isRecord(value) || Object.keys(value).some((name) => !known.has(name))) return null;
  const { paths, on, maxMb } = value;
  if (!Array.isArray(paths) || paths.length === 0 || paths.length > outputPathsMax) return null;
  if (!paths.every((path) => typeof path === 'string' && patternProblem(path) === null)) {
    return null;
  }
  if (on !== 'done' && on !== 'always') return null;
  if (typeof maxMb !== 'number' || !(maxMb > 0) || maxMb > outputsMbMax) return null;
  return { paths: paths as string[], on, maxMb };
}
