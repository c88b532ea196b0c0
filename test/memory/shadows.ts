import { shadowBytesMax } from '../../core/model/limits.ts';
import type { EdgeName } from '../../core/model/names.ts';
import type { EdgeShadows, LiveShadows, WorkShadows } from '../../core/ports/shadows.ts';
import { isRecord } from '../../core/protocol/json.ts';

type Document = Readonly<Record<string, unknown>>;

export type MemoryShadows = WorkShadows &
  EdgeShadows &
  LiveShadows & { forget(edge: EdgeName): void };

/** The `work` documents in memory: a write merges, and what it nulls is gone. */
export function createMemoryShadows(): MemoryShadows {
  const documents = new Map<EdgeName, Document>();
  return {
    async write(edge, work) {
      if (Buffer.byteLength(JSON.stringify({ state: { desired: work } })) > shadowBytesMax) {
        throw new Error(`the work of ${edge} is too large`);
      }
      const change: unknown = JSON.parse(JSON.stringify(work));
      documents.set(edge, merged(documents.get(edge) ?? {}, change) as Document);
    },
    async wish(edge, wishes) {
      documents.set(edge, merged(documents.get(edge) ?? {}, { l: wishes }) as Document);
    },
    async readWork(edge) {
      return documents.get(edge) ?? null;
    },
    forget: (edge) => void documents.delete(edge),
  };
}

function merged(before: unknown, change: unknown): unknown {
  if (!isRecord(change)) return change;
  const out: Record<string, unknown> = isRecord(before) ? { ...before } : {};
  for (const [name, value] of Object.entries(change)) {
    if (value === null) delete out[name];
    else out[name] = merged(out[name], value);
  }
  return out;
}
