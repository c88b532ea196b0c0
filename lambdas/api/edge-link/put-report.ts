import { reportBodySchema } from '../../../core/contract/edge-body.ts';
import { invalid, notFound } from '../../../core/contract/problem.ts';
import { pointerOf } from '../../../core/contract/validation.ts';
import type { ResourceVector } from '../../../core/model/job.ts';
import { parseJobId } from '../../../core/model/names.ts';
import type { EdgeEvent } from '../../../core/protocol/edge-event.ts';
import { isRecord } from '../../../core/protocol/json.ts';
import {
  type ProgressReport,
  parseProgressReport,
} from '../../../core/protocol/progress-report.ts';
import { storeReports } from '../../workers/report/store-reports.ts';
import { type Answer, type Call, checkQuery, edgeOfPath } from '../http/call.ts';
import { readBody } from '../http/json-body.ts';
import type { Ports } from '../ports.ts';

/**
 * `POST /v1/edges/{name}/report`: the progress document, and the facts, over HTTPS; stored the same
 * way as over MQTT.
 */
export const putReport = { handle };

async function handle(call: Call, deps: Pick<Ports, 'inventory' | 'log'>): Promise<Answer> {
  checkQuery(call, []);
  const edge = edgeOfPath(call);
  const { facts, ...document } = readBody(call, reportBodySchema);
  const progress = parseProgressReport(document);
  if (progress === null) throw invalid('', 'This is no progress document.');
  checkEntries(document.w, progress);
  const at = { edge, atMs: call.nowMs, version: null };
  const events: EdgeEvent[] = [{ kind: 'prog', ...at, progress }];
  if (facts !== undefined) {
    const capacity = facts.capacity as unknown as ResourceVector;
    events.push({ kind: 'facts', ...at, facts: { ...facts, capacity } });
  }
  const outcomes = await storeReports(deps, events);
  if (outcomes.includes('unknown-edge')) throw notFound(`edge "${edge}"`);
  if (outcomes.includes('failed')) throw new Error(`the report of ${edge} was not stored`);
  return { status: 202, body: { accepted: outcomes[0] === 'stored' } };
}

/**
 * Over MQTT nobody could be answered, so what makes no sense is left out there; here its author
 * is.
 */
function checkEntries(entries: unknown, progress: ProgressReport): void {
  if (!isRecord(entries)) return;
  for (const [job, entry] of Object.entries(entries)) {
    const id = parseJobId(job);
    if (entry === null || (id !== null && progress.jobs.has(id))) continue;
    throw invalid(pointerOf(['w', job]), 'This is no progress of a job: look at its ranges.');
  }
}
