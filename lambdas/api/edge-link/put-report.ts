import type { ResourceVector } from '../../../core/job.ts';
import { parseJobId } from '../../../core/names.ts';
import { reportBodySchema } from '../../../core/wire/edge-body.ts';
import type { EdgeEvent } from '../../../core/wire/edge-event.ts';
import { isRecord } from '../../../core/wire/json.ts';
import { invalid, notFound } from '../../../core/wire/problem.ts';
import { type Prog, parseProg } from '../../../core/wire/prog.ts';
import { pointerOf } from '../../../core/wire/validation.ts';
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
  const prog = parseProg(document);
  if (prog === null) throw invalid('', 'This is no progress document.');
  checkEntries(document.w, prog);
  const at = { edge, atMs: call.nowMs, version: null };
  const events: EdgeEvent[] = [{ kind: 'prog', ...at, prog }];
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
 * Over MQTT nobody could be told, so what makes no sense is left out there; here its author can be.
 */
function checkEntries(entries: unknown, prog: Prog): void {
  if (!isRecord(entries)) return;
  for (const [job, entry] of Object.entries(entries)) {
    const id = parseJobId(job);
    if (entry === null || (id !== null && prog.jobs.has(id))) continue;
    throw invalid(pointerOf(['w', job]), 'This is no progress of a job: look at its ranges.');
  }
}
