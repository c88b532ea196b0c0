import {
  type StatusSource,
  shortStatusOf,
  userIntentOf,
} from '../../core/contract/short-status.ts';

const intentWords = {
  removing: 'being removed',
  draining: 'draining',
  cordoned: 'cordoned',
} as const;

/** What the status of an edge means, as a sentence would say it. */
export function statusWords(edge: StatusSource): string {
  const intent = userIntentOf(edge);
  switch (shortStatusOf(edge)) {
    case 'connected':
      return 'connected';
    case 'late':
      if (edge.state === 'doubled') return 'two agents use its identity';
      return edge.state === 'enrolled' ? 'not connected yet' : 'late: disconnected, not given up';
    case 'lost':
      return 'lost: its work went elsewhere';
    case 'drained': {
      const how = intent === null ? 'quarantined' : intentWords[intent];
      return edge.state === 'connected' ? how : `${how}, ${edge.state}`;
    }
  }
}
