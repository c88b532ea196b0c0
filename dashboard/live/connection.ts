/**
 * Whether the page is live, as one fact for the whole page: every feed tells how its last request
 * went, and the header shows the worst of it. States: `live` → `slow` or `offline` on failure →
 * `live` on the next success.
 */
export type Connection = {
  readonly state: 'live' | 'slow' | 'offline';
  readonly sentence: string | null;
  readonly heardAtMs: number | null;
  readonly retryAtMs: number | null;
};

type Listener = (connection: Connection) => void;

let current: Connection = { state: 'live', sentence: null, heardAtMs: null, retryAtMs: null };
const listeners = new Set<Listener>();

export function connection(): Connection {
  return current;
}

export function setConnection(next: Connection): void {
  const changed = next.state !== current.state || next.sentence !== current.sentence;
  const turned = changed || next.retryAtMs !== current.retryAtMs;
  current = next;
  if (turned) for (const listener of listeners) listener(next);
}

export function onConnection(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
