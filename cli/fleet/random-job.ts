/**
 * The random jobs of `edgewise request`: a power between two bounds and a few seconds of simulated
 * work, so that a stage of ten edges stays busy without hurry. The same seed gives the same jobs.
 */
export type RandomJob = {
  readonly name: string;
  readonly power: number;
  readonly priority: number;
  readonly run: { readonly simulate: { readonly seconds: number } };
  readonly labels: Readonly<Record<string, string>>;
};

export type Bounds = {
  readonly minPower: number;
  readonly maxPower: number;
  readonly secondsMax: number;
};

/** Below the default: what a person submits beside it goes first. */
const randomJobPriority = 10;

const requesterLabel = 'requester';

export function makeRandomJob(
  number: number,
  who: string,
  bounds: Bounds,
  random: () => number,
): RandomJob {
  const { minPower, maxPower, secondsMax } = bounds;
  return {
    name: `${who}-${number}`,
    power: minPower + Math.floor(random() * (maxPower - minPower + 1)),
    priority: randomJobPriority,
    run: { simulate: { seconds: 1 + Math.floor(random() * secondsMax) } },
    labels: { [requesterLabel]: who },
  };
}

/** Mulberry32: small, and good enough to look random. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
