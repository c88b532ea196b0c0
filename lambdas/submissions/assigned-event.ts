import type { JobEvent } from '../../core/model/job-event.ts';
import type { Submission } from '../../core/model/submission.ts';
import type { Selection } from '../../core/selection/select-cluster.ts';

/** Where a job of a jobspec went and why: a line of its timeline. */
export function assignedBy({ lookedAtMs, cluster, decision }: Submission): JobEvent {
  const said = { atMs: lookedAtMs, kind: 'assigned', by: 'scheduler' };
  const selection = decision as Selection | null;
  if (cluster === null || selection === null) {
    return { ...said, detail: 'no-cluster-matches: nobody has what the jobspec asks for.' };
  }
  const { algorithm, priority, candidates, excluded } = selection;
  const by = priority === null ? algorithm : `${algorithm}, priority ${priority}`;
  const out = new Set(excluded.map((it) => it.cluster)).size;
  const others = out === 0 ? '' : `, ${out} left out at a step`;
  return { ...said, detail: `To ${cluster}: ${by}; ${candidates} matched${others}.` };
}
