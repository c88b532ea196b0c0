import { readFileSync } from 'node:fs';
import { processesOf } from './product/processes.ts';
import {
  type Product,
  rounded,
  runJob,
  withAgent,
  withFleet,
  withProduct,
} from './product/running-fleet.ts';
import { besideSlurm, wantsSlurm } from './product/slurm.ts';
import type { Figures } from './run.ts';

/**
 * How fast chunks that are processes go through the whole product, and what the launcher of an
 * agent costs; with `--slurm`, Slurm's job array beside it in the same run. `PROCESS_CHUNKS` is how
 * many the rates are taken of.
 */
const chunks = Number(process.env.PROCESS_CHUNKS ?? 10_000);
const slurmTasks = 400;
const fleetEdges = 10;
const manyEdges = Number(process.env.PROCESS_EDGES ?? 1_000);
const program = '/bin/true';
/** As many at once as `npm start` gives an edge: with few, the way to the control plane counts. */
const atOnce = 250;

export async function run(): Promise<readonly Figures[]> {
  const ours = await withProduct(async (product) => [
    ...(await measureAgent(product)),
    ...(await measureFleet(product)),
    ...(await measureMany(product)),
  ]);
  if (!wantsSlurm) return ours;
  const seconds = await besideSlurm((slurm) => {
    slurm.array(10, program);
    return slurm.array(slurmTasks, program);
  });
  if (seconds === null) return ours;
  const slurm = slurmTasks / seconds;
  const ratio = Number(ours[0]!.value) / slurm;
  return [
    ...ours,
    { figure: "tasks of Slurm's array, per second", value: rounded(slurm) },
    { figure: 'one agent to Slurm, times', value: rounded(ratio) },
  ];
}

const jobOf = (count: number) => ({
  chunks: count,
  run: { process: { argv: [program] } },
  keepOutput: 'none',
});

function measureAgent(product: Product): Promise<Figures[]> {
  return withAgent(product, { edges: 1, power: atOnce }, async () => {
    await runJob(product.place, jobOf(200));
    const { seconds } = await runJob(product.place, jobOf(chunks));
    return [
      { figure: 'process chunks of one agent, per second', value: rounded(chunks / seconds) },
    ];
  });
}

function measureFleet(product: Product): Promise<Figures[]> {
  return withFleet(product, { edges: fleetEdges, power: atOnce }, async () => {
    const first = await runJob(product.place, jobOf(1), 1);
    await runJob(product.place, jobOf(200));
    const { seconds } = await runJob(product.place, jobOf(chunks));
    const launchers = launchersOf(product);
    const largest = Math.max(...launchers.map(({ memoryKb }) => memoryKb)) / 1_024;
    return [
      {
        figure: `the first process of ${fleetEdges} fresh edges, ms`,
        value: rounded(first.seconds * 1_000),
      },
      {
        figure: `process chunks of ${fleetEdges} edges, per second`,
        value: rounded(chunks / seconds),
      },
      { figure: `launchers of ${fleetEdges} edges`, value: launchers.length },
      { figure: 'the largest of them, MB', value: rounded(largest) },
    ];
  });
}

/** All that the edges of one process need while they run a process job. */
function measureMany(product: Product): Promise<Figures[]> {
  return withAgent(product, { edges: manyEdges, power: 2 }, async (agent) => {
    let mostMb = 0;
    const look = setInterval(() => {
      const launchers = launchersOf(product).reduce((sum, { memoryKb }) => sum + memoryKb, 0);
      mostMb = Math.max(mostMb, (memoryKbOf(agent.pid!) + launchers) / 1_024);
    }, 200);
    const { seconds } = await runJob(product.place, jobOf(chunks));
    clearInterval(look);
    return [
      {
        figure: `process chunks of ${manyEdges} edges in one agent, per second`,
        value: rounded(chunks / seconds),
      },
      { figure: 'that agent and its launcher at most, MB', value: rounded(mostMb) },
    ];
  });
}

function launchersOf({ home }: Product) {
  return processesOf(home).filter(({ command }) => command.includes('launcher'));
}

function memoryKbOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
}
