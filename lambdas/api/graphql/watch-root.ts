import { listOffers, offersAsked } from '../clusters/list-offers.ts';
import type { Ask, WatchDeps } from './ask.ts';
import { type EdgeFilter, type JobFilter, ReadGraph, type Words } from './read-graph.ts';

/** What the fields of subscriptions resolve to at one look: what is there now. */
export function watchRootOf(ask: Ask<WatchDeps>) {
  const graph = new ReadGraph(ask);
  return {
    job: ({ id }: { id: string }) => graph.job(id),
    jobs: (filter: JobFilter) => graph.jobs(filter),
    edges: (filter: EdgeFilter) => graph.edges(filter),
    stats: ({ pool }: Words<'pool'>) => graph.stats(pool ?? null),
    offers: async ({ edge, first }: { edge: string; first: number }) => {
      const input = () => offersAsked(edge, first);
      return (await ask(listOffers, { edge, input })).items ?? [];
    },
  };
}
