import { type EventFilter, fleetEventKinds } from '../../../core/events/fleet-event.ts';
import { isName } from '../../../core/model/names.ts';
import { badQuery, type Call } from '../http/call.ts';

export const eventStreamPath = '/v1/events/stream';

/** Where to begin, and which events: what the answer that waits and the stream take alike. */
export const eventQuery = ['after', 'kinds', 'job', 'edge', 'jobspec', 'pool'] as const;

export function readFilter({ query }: Pick<Call, 'query'>): EventFilter {
  const kinds = query.kinds === undefined ? [] : query.kinds.split(',');
  const unknown = kinds.find((kind) => !fleetEventKinds.includes(kind));
  if (unknown !== undefined) {
    throw badQuery('kinds', `The kinds are: ${fleetEventKinds.join(', ')}.`);
  }
  for (const name of ['job', 'edge', 'jobspec', 'pool'] as const) {
    const value = query[name];
    if (value !== undefined && !isName(value)) throw badQuery(name, 'This cannot be a name.');
  }
  const { job = null, edge = null, jobspec = null, pool = null } = query;
  return { kinds, job, edge, jobspec, pool };
}
