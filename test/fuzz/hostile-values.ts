/** Values that break careless code, drawn from a seed: the same seed draws the same values. */
export type Draw = {
  /** 0 up to, not including, `below`. */
  number(below: number): number;
  pick<T>(values: readonly T[]): T;
  chance(percent: number): boolean;
};

export function createDraw(seed: number): Draw {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
  const number = (below: number) => Math.floor(next() * below);
  return {
    number,
    pick: (values) => values[number(values.length)]!,
    chance: (percent) => number(100) < percent,
  };
}

const texts = [
  '',
  ' ',
  'default',
  'x'.repeat(65),
  'ü'.repeat(300),
  '\u0000',
  '\ud800',
  '👩🏽‍🚀',
  '../../etc/passwd',
  "'; DROP TABLE jobs; --",
  '<script>alert(1)</script>',
  '%00%ff%',
  '#pk = :x',
  'JOB#1',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '1e400',
  '0-9999999999999999',
  '-',
  'A'.repeat(70_000),
] as const;

const numbers = [
  0,
  -0,
  -1,
  1,
  1.5,
  4,
  100,
  1e9,
  1e12,
  1e308,
  -1e308,
  2 ** 53,
  0.1,
  10_000_001,
] as const;

export function hostileText(draw: Draw): string {
  return draw.pick(texts);
}

export function hostileValue(draw: Draw, depth = 0): unknown {
  switch (draw.number(depth > 3 ? 5 : 7)) {
    case 0:
      return draw.pick(texts);
    case 1:
      return draw.pick(numbers);
    case 2:
      return null;
    case 3:
      return draw.chance(50);
    case 4:
      return draw.pick([[], {}, [[]], [null], { '': '' }]);
    case 5:
      return Array.from({ length: draw.number(4) }, () => hostileValue(draw, depth + 1));
    default:
      return Object.fromEntries(
        Array.from({ length: draw.number(4) }, () => [
          draw.pick(texts).slice(0, 80),
          hostileValue(draw, depth + 1),
        ]),
      );
  }
}

/** A good body with one to three places spoilt. */
export function spoilt(draw: Draw, body: unknown): unknown {
  const copy: unknown = structuredClone(body);
  if (typeof copy !== 'object' || copy === null) return hostileValue(draw);
  for (let times = 1 + draw.number(3); times > 0; times--) spoilOnce(draw, copy as object);
  return copy;
}

function spoilOnce(draw: Draw, body: object): void {
  let place = body as Record<string, unknown>;
  for (let depth = 0; depth < 5; depth++) {
    const keys = Object.keys(place);
    if (keys.length === 0 || draw.chance(20)) {
      place[draw.pick(['status', 'extra', 'power', 'name', 'a/b~c'])] = hostileValue(draw);
      return;
    }
    const key = draw.pick(keys);
    const inner = place[key];
    if (typeof inner !== 'object' || inner === null || draw.chance(30)) {
      if (draw.chance(15)) delete place[key];
      else place[key] = hostileValue(draw);
      return;
    }
    place = inner as Record<string, unknown>;
  }
}
