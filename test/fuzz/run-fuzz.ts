import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startDatabase } from '../contract/database.ts';
import { fuzzApi } from './fuzz-api.ts';

/** `npm run fuzz [-- SEED [REQUESTS]]`: the long run, with the memory watched. */
const seed = Number(process.argv[2] ?? 1);
const requests = Number(process.argv[3] ?? 10_000);
const growthMbMax = 64;

setFlagsFromString('--expose_gc');
const collect = runInNewContext('gc') as () => void;
const heapMb = (): number => {
  collect();
  return Math.round(process.memoryUsage().heapUsed / 1_048_576);
};

const database = await startDatabase();
try {
  let settledMb: number | null = null;
  const result = await fuzzApi(await database.makeTable(), {
    seed,
    requests,
    onProgress(done) {
      if (settledMb === null && done >= requests / 10) settledMb = heapMb();
    },
  });
  const endMb = heapMb();
  const grownMb = endMb - (settledMb ?? endMb);
  console.log(JSON.stringify({ seed, ...result, settledMb, endMb }, null, 2));
  if (grownMb > growthMbMax) console.error(`the heap grew by ${grownMb} MB`);
  const failed = result.failures.length + (grownMb > growthMbMax ? 1 : 0);
  console.log(`${requests - result.failures.length} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
} finally {
  await database.close();
}
