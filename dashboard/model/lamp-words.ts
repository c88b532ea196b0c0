import { intentOf, type LampSource, lampOf } from '../../core/contract/edge-lamp.ts';

const intentWords = {
  removing: 'being removed',
  draining: 'draining',
  cordoned: 'cordoned',
} as const;

/** What the lamp of an edge means, as a sentence would say it. */
export function lampWords(edge: LampSource): string {
  const intent = intentOf(edge);
  switch (lampOf(edge)) {
    case 'connected':
      return 'connected';
    case 'late':
      return edge.state === 'enrolled' ? 'not connected yet' : 'late: disconnected, not given up';
    case 'lost':
      return 'lost: its work went elsewhere';
    case 'drained': {
      const how = intent === null ? 'set aside' : intentWords[intent];
      return edge.state === 'connected' ? how : `${how}, ${edge.state}`;
    }
  }
}
