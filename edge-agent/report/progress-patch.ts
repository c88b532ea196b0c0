import { namedValue } from '../../core/protocol/named-values.ts';
import type { ProgressReportJson } from '../../core/protocol/progress-report.ts';

/**
 * A shadow merges: what a report no longer mentions stays in it. This remembers what the shadow
 * may hold and adds the nulls that remove it, so that the shadow stays as small as the report.
 */
export type ProgressPatch = {
  patch(document: ProgressReportJson): Record<string, unknown>;
  /** The patched document was taken. */
  settle(document: ProgressReportJson): void;
};

type Nulled<V> = Record<string, V | null> | null;

export function makeProgressPatch(): ProgressPatch {
  let mentioned = new Map<string, Set<string>>();
  // What the agent that ran here before said may still be there.
  let isQueueThere = true;
  return {
    patch(document) {
      const w: Record<string, unknown> = {};
      for (const [job, before] of mentioned) {
        const entry = namedValue(document.w, job);
        w[job] =
          entry === undefined || entry === null
            ? null
            : { ...entry, x: withNulls(entry.x, before) };
      }
      for (const [job, entry] of Object.entries(document.w)) {
        if (!Object.hasOwn(w, job)) w[job] = entry;
        remember(mentioned, job, entry);
      }
      const isQueueOver = document.q === undefined && isQueueThere;
      isQueueThere ||= document.q !== undefined;
      return { ...document, w, ...(isQueueOver && { q: null }) };
    },
    settle(document) {
      mentioned = new Map();
      isQueueThere = document.q !== undefined;
      for (const [job, entry] of Object.entries(document.w)) remember(mentioned, job, entry);
    },
  };
}

function remember(
  mentioned: Map<string, Set<string>>,
  job: string,
  entry: ProgressReportJson['w'][string],
): void {
  if (entry === null || entry === undefined) return;
  const known = mentioned.get(job) ?? new Set();
  for (const chunk of Object.keys(entry.x ?? {})) known.add(chunk);
  mentioned.set(job, known);
}

/** `null` as a whole removes all keys; otherwise the vanished ones are nulled one by one. */
function withNulls<V>(map: Record<string, V> | null, before: ReadonlySet<string>): Nulled<V> {
  if (map === null) return null;
  const out: Record<string, V | null> = {};
  for (const key of before) if (!Object.hasOwn(map, key)) out[key] = null;
  return { ...out, ...map };
}
