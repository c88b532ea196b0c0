import { parseArgs } from 'node:util';
import { runSeed, type SeedResult } from './scenario.ts';

/**
 * `npm run sim -- --seeds 5000` for a night, `--from N` to begin elsewhere, `--seed N --trace` to
 * read one. Each seed is run twice and must make the same event log both times.
 */
const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '50' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
});

function tell(result: SeedResult): void {
  console.log(`seed ${result.seed}: ${JSON.stringify(result.faults)}`);
  console.log(`  ${result.violation?.stack ?? 'the two runs of this seed differ'}`);
  console.log(`  again: npm run sim -- --seed ${result.seed} --trace`);
}

async function main(): Promise<number> {
  if (values.seed !== undefined) {
    const trace = values.trace ? { trace: (line: string) => console.log(line) } : {};
    const result = await runSeed(Number(values.seed), trace);
    if (result.violation !== null) tell(result);
    else console.log(`seed ${result.seed}: good, ${result.steps} steps, hash ${result.hash}`);
    return result.violation === null ? 0 : 1;
  }
  const from = Number(values.from);
  let failed = 0;
  const started = performance.now();
  for (let seed = from; seed < from + Number(values.seeds); seed++) {
    const result = await runSeed(seed);
    const again = await runSeed(seed);
    if (result.violation !== null || result.hash !== again.hash) {
      failed += 1;
      tell(result);
    }
  }
  const seconds = ((performance.now() - started) / 1_000).toFixed(1);
  console.log(`${Number(values.seeds) - failed} passed, ${failed} failed in ${seconds} s`);
  return failed === 0 ? 0 : 1;
}

process.exitCode = await main();
