import type { EdgeName, JobId } from '../../../core/model/names.ts';
import { type EdgeEvent, parseEdgeEvent } from '../../../core/protocol/edge-event.ts';
import type { Work } from '../../../core/protocol/work.ts';
import { applyWork, finishChunks, newAgent, report, startChunks } from '../../core/model-agent.ts';
import type { SeededRandom } from '../seeded-random.ts';

/**
 * An edge that wants to harm: it claims, lies, floods, falls silent and is two at once, each for a
 * while. What it says is drawn from the whole schema of what an edge may say, nonsense included.
 */
export const moods = ['silent', 'poller', 'forger', 'flood', 'flapping', 'doubled'] as const;
export type Mood = (typeof moods)[number];

export type HostileEdge = {
  readonly mood: Mood;
  /** Since when it has this mood. */
  readonly sinceMs: number;
  act(nowMs: number, work: Work | null, jobs: readonly JobId[]): EdgeEvent[];
};

const moodMsMax = 3_600_000;
const claims = [0, 1, 250, 400, 999, 1e9, 3e9, 1e15, 2 ** 53 - 1, 1.7e308, -5, Number.NaN];

export function makeHostileEdge(edge: EdgeName, random: SeededRandom): HostileEdge {
  const twins = [newAgent(), newAgent()] as const;
  let [mood, sinceMs, untilMs]: [Mood, number, number] = ['silent', 0, 0];
  let version = 1;
  let turn = 0;

  const parse = (message: object): EdgeEvent[] => {
    version += 1;
    const event = parseEdgeEvent({ edge, version, ...message });
    return event === null ? [] : [event];
  };
  const overHttps = (events: readonly EdgeEvent[]): EdgeEvent[] =>
    events.map((event) => (event.kind === 'prog' ? { ...event, version: null } : event));
  const connect = (at: number, kind = 'connected') => parse({ kind, at });
  const claim = (at: number) => {
    const power = random.pick(claims);
    const labels = { constructor: 'x', ['__proto__']: 'y' };
    return parse({ kind: 'facts', at, reported: { capacity: { power, gpus: power }, labels } });
  };
  const ranges = () => {
    const start = random.between(0, 30);
    return random.pick(['', `${start}`, `${start}-${start + random.between(0, 40)}`, '9-1', 'x']);
  };
  const nonsense = (at: number, jobs: readonly JobId[], epoch: number) => {
    const w: Record<string, unknown> = {};
    for (let n = random.between(0, 4); n > 0 && jobs.length > 0; n--) {
      const x = { [random.between(0, 40)]: random.pick([1, 'timeout', null, -1]) };
      w[random.pick([...jobs, 'nobody'])] = { d: ranges(), a: ranges(), x, t: '2:0-40', q: null };
    }
    const e = random.pick([epoch, epoch, 0, epoch + 1, 2 ** 50, 2 ** 53 - 1, -1]);
    const b = random.pick(['one', 'two', 'three', '']);
    const z = random.chance(0.1) ? { z: b } : {};
    const n = random.pick([null, version, version * 1_000, 0]);
    return parse({ kind: 'prog', at, reported: { b, e, n, f: random.pick(claims), w, ...z } });
  };
  const twin = (at: number, work: Work | null) => {
    turn += 1;
    const agent = twins[turn % 2]!;
    if (work !== null) applyWork(agent, work);
    finishChunks(agent, 1, () => null);
    startChunks(agent);
    const event = { kind: 'prog', edge, atMs: at, version: ++version } as const;
    return [{ ...event, progress: { ...report(agent), boot: `twin-${turn % 2}` } }];
  };

  return {
    get mood() {
      return mood;
    },
    get sinceMs() {
      return sinceMs;
    },
    act(nowMs, work, jobs) {
      const events: EdgeEvent[] = [];
      if (nowMs >= untilMs) {
        [mood, sinceMs] = [random.pick(moods), nowMs];
        untilMs = nowMs + random.between(moodMsMax / 4, moodMsMax);
        if (mood === 'poller') events.push(...connect(nowMs - 1, 'disconnected'));
        else events.push(...connect(nowMs));
        events.push(...claim(nowMs));
      }
      const epoch = work?.epoch ?? 0;
      switch (mood) {
        case 'silent':
          return events;
        case 'poller': {
          // It reports and asks for a few minutes, and is gone without a word.
          if (nowMs - sinceMs > 240_000) return events;
          const reported = { b: 'poller', e: epoch, n: null, f: 0, w: {}, i: 4 };
          return [...events, ...overHttps(parse({ kind: 'prog', at: nowMs, reported }))];
        }
        case 'forger':
          return [...events, ...nonsense(nowMs, jobs, epoch)];
        case 'flood': {
          for (let n = 0; n < 10; n++) events.push(...nonsense(nowMs, jobs, epoch));
          return [...events, ...claim(nowMs)];
        }
        case 'flapping': {
          const kind = random.pick(['connected', 'disconnected']);
          return [...events, ...connect(nowMs, kind), ...claim(nowMs)];
        }
        case 'doubled':
          return [...events, ...twin(nowMs, work)];
      }
    },
  };
}
