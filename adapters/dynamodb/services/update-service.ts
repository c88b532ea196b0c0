import type { ServiceRestart, ServiceUpdate } from '../../../core/jobs/update-service.ts';
import { intentWrite, openJob, specWrite, statusWrite } from '../jobs/job-writes.ts';
import { generationKey } from '../keys.ts';
import { intentSpecText } from '../rows/rows-slice.ts';
import type { Write } from '../table.ts';
import { encodeGeneration } from './generation-row.ts';
import { encodeLastRestart } from './restart-parts.ts';
import { encodeWish } from './rollout-parts.ts';

/** The spec with its copies, and the generations that are kept. */
export function updateWrites(change: ServiceUpdate, lastEventAtMs: number): Write[] {
  const { id, spec, specHash, chunking, generation, intent, kept, dropped } = change;
  const cut = JSON.stringify(chunking);
  const retries = JSON.stringify(spec.retries);
  const labels = JSON.stringify(spec.labels);
  const { priority } = spec;
  const copied = { spec: intentSpecText(intent.spec), specHash, cut, priority, retries };
  return [
    specWrite(change, { spec: JSON.stringify(spec), specHash, cut, generation }, ['lastRestart']),
    statusWrite(id, { cut, labels, lastEventAtMs, byCell: false }, openJob),
    ...change.cells.map((cell) =>
      intentWrite(cell, id, { ...copied, wish: encodeWish(intent.rollout) }),
    ),
    ...kept.map((it): Write => ({ kind: 'put', row: encodeGeneration(id, it) })),
    ...(dropped === null ? [] : [{ kind: 'delete' as const, key: generationKey(id, dropped) }]),
  ];
}

export function restartWrites(change: ServiceRestart, lastEventAtMs: number): Write[] {
  const { id, restarts, rollout, cells } = change;
  return [
    specWrite(change, { restarts, lastRestart: encodeLastRestart(rollout.restart) }),
    statusWrite(id, { lastEventAtMs, byCell: false }, openJob),
    ...cells.map((cell) => intentWrite(cell, id, { wish: encodeWish(rollout) })),
  ];
}
