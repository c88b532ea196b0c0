import { parseArgs } from 'node:util';
import { runSeed, type SeedResult } from './scenario.ts';

const usage = `npm run sim -- --seeds 5000        the first 5,000 seeds, for a night
npm run sim -- --seeds 20001-20800 these
npm run sim -- --seed 17 --trace   one, with all that happens in it
Each seed is run twice and must make the same event log both times.`;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

function tell(result: SeedResult): void {
  console.log(`seed ${result.seed}: ${JSON.stringify(result.faults)}`);
  console.log(`  ${result.violation?.stack ?? 'the two runs of this seed differ'}`);
  console.log(`  again: npm run sim -- --seed ${result.seed} --trace`);
}

/** Whatever names no seeds is refused: a run of none of them would pass. */
function rangeOf(seeds: string): readonly [from: number, to: number] {
  const [, first, last] = /^(?:(\d{1,9})-)?(\d{1,9})$/.exec(seeds) ?? [];
  const range = [Number(first ?? 1), Number(last)] as const;
  if (last === undefined || range[0] > range[1])
    throw new Error(`${seeds} names no seeds.\n${usage}`);
  return range;
}

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  if (values.seed !== undefined) {
    const trace = values.trace ? { trace: (line: string) => console.log(line) } : {};
    const [, seed] = rangeOf(values.seed);
    const result = await runSeed(seed, trace);
    if (result.violation !== null) tell(result);
    else console.log(`seed ${result.seed}: good, ${result.steps} steps, hash ${result.hash}`);
    return result.violation === null ? 0 : 1;
  }
  const [from, to] = rangeOf(values.seeds);
  let failed = 0;
  const started = performance.now();
  for (let seed = from; seed <= to; seed++) {
    const result = await runSeed(seed);
    const again = await runSeed(seed);
    if (result.violation !== null || result.hash !== again.hash) {
      failed += 1;
      tell(result);
    }
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${to - from + 1 - failed} passed, ${failed} failed in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
