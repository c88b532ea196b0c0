import type { Edge } from '../../core/contract/resources.ts';
import type { Api } from '../client/api.ts';
import { Failure } from '../failure.ts';
import { changeAttemptsMax } from '../limits.ts';
import { edgePath } from './edge-view.ts';

/** Of changes that somebody else will wonder about. */
export const reasonFlag = {
  reason: {
    kind: 'text',
    short: 'r',
    value: 'TEXT',
    blank: true,
    about: 'why, for whoever wonders',
  },
} as const;

/**
 * Changes an edge that was read a moment ago, with `If-Match`, so that two who change it do not
 * undo each other. An edge's record also moves when it reports, so a refused change is decided
 * again on what is there now.
 */
export async function changeEdge(
  api: Api,
  name: string,
  change: (edge: Edge) => Record<string, unknown>,
): Promise<Edge> {
  for (let attempt = 1; ; attempt++) {
    const seen = await api.ask<Edge>('GET', edgePath(name));
    const headers = seen.etag === null ? {} : { 'if-match': seen.etag };
    try {
      const body = change(seen.body);
      return (await api.ask<Edge>('PATCH', edgePath(name), { body, headers })).body;
    } catch (error) {
      if (attempt >= changeAttemptsMax || !isStale(error)) throw error;
    }
  }
}

function isStale(error: unknown): boolean {
  return error instanceof Failure && error.problem?.status === 412;
}
