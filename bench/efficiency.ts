import { rounded, runJob, withFleet, withProduct } from './product/running-fleet.ts';
import { besideSlurm, wantsSlurm } from './product/slurm.ts';
import type { Figures } from './run.ts';

/**
 * How much of the time of 64 slots is work, for chunks that are short: from the submit of a job to
 * its end, against what its chunks would take without anything in between. `EFFICIENCY_SECONDS` is
 * how long each job is, in that ideal.
 */
const edges = 4;
const slots = 64;
const jobSeconds = Number(process.env.EFFICIENCY_SECONDS ?? 20);
const durations = [0.1, 1, 5];

export async function run(): Promise<readonly Figures[]> {
  const ours = await withProduct((product) =>
    withFleet(product, { edges, power: slots / edges }, async () => {
      const figures: Figures[] = [];
      await runJob(product.place, jobOf(slots, 0));
      for (const duration of durations) {
        const rounds = Math.max(1, Math.round(jobSeconds / duration));
        const { seconds } = await runJob(product.place, jobOf(slots * rounds, duration), 10);
        figures.push(figureOf('efficiency', duration, (rounds * duration) / seconds));
      }
      return figures;
    }),
  );
  if (!wantsSlurm) return ours;
  const slurm = await besideSlurm(({ array }) =>
    durations.map((duration) => {
      const rounds = Math.max(1, Math.round(jobSeconds / duration / 4));
      const seconds = array(Math.min(slots * rounds, arrayTasksMax), `sleep ${duration}`);
      const ideal = (Math.min(slots * rounds, arrayTasksMax) / slots) * duration;
      return figureOf("Slurm's array", duration, ideal / seconds);
    }),
  );
  return [...ours, ...(slurm ?? [])];
}

/** Slurm's own default. */
const arrayTasksMax = 1_000;

const jobOf = (chunks: number, seconds: number) => ({ chunks, run: { simulate: { seconds } } });

function figureOf(what: string, duration: number, part: number): Figures {
  const value = rounded(part * 100);
  return { figure: `${what}, chunks of ${duration} s on ${slots} slots, per cent`, value };
}
