import type { Api } from '../client/api.ts';
import type { Edge } from '../client/resources.ts';
import { Failure } from '../failure.ts';
import { edgePath } from './edge-view.ts';

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

const changeAttemptsMax = 5;

function isStale(error: unknown): boolean {
  return error instanceof Failure && error.status === 412;
}
