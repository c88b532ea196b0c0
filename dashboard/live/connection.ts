/**
 * Whether the page is live, as one fact for the whole page: every feed notes how its last request
 * went, and the header shows the worst of what is asked for now. States: `live` → `slow` or
 * `offline` on failure → `live` when every feed has been answered.
 */
export type Connection = {
  readonly state: 'live' | 'slow' | 'offline';
  readonly sentence: string | null;
  readonly answeredAtMs: number | null;
  readonly retryAtMs: number | null;
};

/** How the last request of one feed went. */
export type ConnectionNote = Omit<Connection, 'answeredAtMs'>;

type Listener = (connection: Connection) => void;

const live: Connection = { state: 'live', sentence: null, answeredAtMs: null, retryAtMs: null };
const ranks = { live: 0, slow: 1, offline: 2 } as const;
let current = live;
const notes = new Map<object, ConnectionNote>();
const listeners = new Set<Listener>();

export function connection(): Connection {
  return current;
}

/** `answeredAtMs` is that of the last answer of all. */
export function noteConnection(feed: object, note: ConnectionNote, answeredAtMs: number | null) {
  notes.set(feed, note);
  update(answeredAtMs ?? current.answeredAtMs);
}

/** Nobody asks for it any more. */
export function forgetConnection(feed: object): void {
  notes.delete(feed);
  update(current.answeredAtMs);
}

export function onConnection(listener: Listener): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The worst state, and when the first of those that failed tries again. */
export function worstOf(all: Iterable<ConnectionNote>): ConnectionNote {
  let worst: ConnectionNote = live;
  for (const note of all) {
    const isWorse = ranks[note.state] > ranks[worst.state];
    const isSooner = ranks[note.state] === ranks[worst.state] && isBefore(note, worst);
    if (isWorse || isSooner) worst = note;
  }
  return worst;
}

const isBefore = (one: ConnectionNote, other: ConnectionNote): boolean =>
  (one.retryAtMs ?? Number.POSITIVE_INFINITY) < (other.retryAtMs ?? Number.POSITIVE_INFINITY);

function update(answeredAtMs: number | null): void {
  const { state, sentence, retryAtMs } = worstOf(notes.values());
  const before = current;
  current = { state, sentence, retryAtMs, answeredAtMs };
  const isOther = state !== before.state || sentence !== before.sentence;
  if (isOther || retryAtMs !== before.retryAtMs) {
    for (const listener of listeners) listener(current);
  }
}
