import { stateBodySchema } from '../../../core/contract/clusters/cluster-body.ts';
import { invalid } from '../../../core/contract/problem.ts';
import { stateKeysMax, stateTtlSecondsMax } from '../../../core/graph/limits.ts';
import { isScalar } from '../../../core/graph/vertex.ts';
import type { StateValue } from '../../../core/ports/clusters.ts';
import { stateAt } from '../../../core/ports/clusters.ts';
import { noteContact } from '../edge-link/note-contact.ts';
import { stateView } from '../edges/view/cluster-view.ts';
import { visibleEdge } from '../edges/view/visible-edge.ts';
import { badQuery, type Call, checkQuery, edgeOfPath } from '../http/call.ts';
import { tagged } from '../http/etag.ts';
import { readBody } from '../http/json-body.ts';
import { checkVersion, readPrecondition } from '../http/precondition.ts';
import { defineOperation } from '../operation.ts';
import type { Ports } from '../ports.ts';
import { changeCluster } from './change-cluster.ts';

/**
 * `PUT /v1/edges/{name}/state`: merges figures key by key; others stay. They are for choosing among
 * clusters, never for matching. A cluster that sends some is there.
 */
export const putState = defineOperation({
  name: 'putState',
  read: (call) => {
    checkQuery(call, ['ttlSeconds']);
    const body = readBody(call, stateBodySchema);
    const precondition = readPrecondition(call);
    return { name: edgeOfPath(call), body, precondition, ttlSeconds: readTtl(call) };
  },
  run: async ({ name, body, precondition, ttlSeconds }, context, deps: StateDeps) => {
    const { caller, nowMs } = context;
    const untilMs = ttlSeconds === null ? null : nowMs + ttlSeconds * 1_000;
    const view = await changeCluster(name, context, deps, async (before) => {
      checkVersion(precondition, before.writes);
      const state = mergeState(stateAt(before.state, nowMs), body, nowMs, untilMs);
      const outcome = { version: before.writes + 1, view: stateView(state, nowMs) };
      return { next: { ...before, state }, digest: 'as it is', outcome };
    });
    await noteContact(caller, nowMs, deps);
    return view;
  },
  answer: (state) => tagged(200, state),
});

type StateDeps = Pick<Ports, 'edges' | 'clusters' | 'inventory' | 'log'>;

/** `GET /v1/edges/{name}/state`. */
export const getState = defineOperation({
  name: 'getState',
  read: (call) => {
    checkQuery(call, []);
    return { name: edgeOfPath(call) };
  },
  run: async ({ name }, { caller, nowMs }, deps: Pick<Ports, 'edges'>) => {
    const { cluster } = await visibleEdge(name, caller, deps);
    const view = stateView(cluster?.state ?? new Map(), nowMs);
    return { version: cluster?.writes ?? 0, view };
  },
  answer: (state) => tagged(200, state),
});

function readTtl(call: Call): number | null {
  const text = call.query.ttlSeconds;
  if (text === undefined) return null;
  const seconds = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (seconds >= 1 && seconds <= stateTtlSecondsMax) return seconds;
  throw badQuery('ttlSeconds', `This is a whole number from 1 to ${stateTtlSecondsMax}.`);
}

function mergeState(
  before: ReadonlyMap<string, StateValue>,
  body: Readonly<Record<string, unknown>>,
  atMs: number,
  untilMs: number | null,
): ReadonlyMap<string, StateValue> {
  const state = new Map(before);
  for (const [key, value] of Object.entries(body)) {
    if (value === null) state.delete(key);
    else if (isScalar(value)) state.set(key, { value, atMs, untilMs });
  }
  if (state.size > stateKeysMax) {
    throw invalid('', `A state has at most ${stateKeysMax} keys; with these it has ${state.size}.`);
  }
  return state;
}
