import { type FoundProcess, processesOf } from './product/processes.ts';
import { rounded, runJob, withFleet, withProduct } from './product/running-fleet.ts';
import type { Figures } from './run.ts';

/**
 * The demo of scale: thousands of edges in one process, as `edgewise fleet 0 2000` starts them, and
 * one job of a million chunks of a second. `DEMO_EDGES`, `DEMO_CHUNKS` and `DEMO_SECONDS` make it
 * another one.
 */
const edges = Number(process.env.DEMO_EDGES ?? 2_000);
const chunks = Number(process.env.DEMO_CHUNKS ?? 1_000_000);
const seconds = Number(process.env.DEMO_SECONDS ?? 1);
/** Slots of an edge: all of them have done the job after some ten rounds. */
const power = Math.max(1, Math.ceil(chunks / edges / 10));
const memoryEveryMs = 1_000;

export function run(): Promise<readonly Figures[]> {
  return withProduct(async (product) => {
    const startedAtMs = performance.now();
    return withFleet(product, { edges, power }, async () => {
      const arrivedSeconds = (performance.now() - startedAtMs) / 1_000;
      const memory = watchMemory(product.home);
      const job = { chunks, run: { simulate: { seconds } } };
      const done = await runJob(product.place, job).finally(memory.stop);
      return [
        { figure: `seconds until ${edges} edges are connected`, value: rounded(arrivedSeconds) },
        { figure: `seconds of a job of ${chunks} chunks`, value: rounded(done.seconds) },
        { figure: 'chunks per second', value: Math.round(chunks / done.seconds) },
        { figure: 'longest stall, seconds', value: rounded(done.stallSeconds) },
        { figure: 'memory of all edges, MB', value: memory.most().fleet },
        { figure: 'memory of the local cloud, MB', value: memory.most().cloud },
        { figure: 'dollars of the job, by the price table', value: done.usd },
      ];
    });
  });
}

/** The most that the processes of each side had at once. */
function watchMemory(home: string) {
  const most = { fleet: 0, cloud: 0 };
  const look = (): void => {
    const all = processesOf(home);
    const isFleet = ({ command }: FoundProcess) => command.includes('cli/main.ts fleet');
    most.fleet = Math.max(most.fleet, megabytesOf(all.filter(isFleet)));
    most.cloud = Math.max(most.cloud, megabytesOf(all.filter((one) => !isFleet(one))));
  };
  look();
  const timer = setInterval(look, memoryEveryMs);
  return { most: () => most, stop: () => clearInterval(timer) };
}

const megabytesOf = (all: readonly FoundProcess[]): number =>
  Math.round(all.reduce((sum, { memoryKb }) => sum + memoryKb, 0) / 1_024);
