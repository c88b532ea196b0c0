import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureSynthesis } from '../scripts/setup/synthesis.mjs';
import { type Endpoints, withCloud } from './product/local-cloud.ts';
import { processesOf, processorSeconds } from './product/processes.ts';
import type { Figures } from './run.ts';
import { backlogFigures } from './small/backlog.ts';
import { clientOf, inTurns, until } from './small/client.ts';
import { dollarsPerMillion } from './small/dollars.ts';
import { slurmFigures } from './small/slurm.ts';

/**
 * What a job of one short chunk costs over the whole product: the local cloud, ten edges in one
 * process, and a client that submits. Many at once give the rate, with the calls, invocations and
 * processor time of each; one at a time gives the way from submit to done. Calls are counted by the
 * local cloud's gateway, and what the watching itself costs is measured first and taken off.
 * `--calls` shows each operation, `--backlog` how a burst and a cell with thousands of waiting jobs
 * are served, `--slurm` the same jobs through a Slurm on this host.
 */
const edges = 10;
const jobs = Number(process.env.SMALL_JOBS ?? 300);
const submitters = 16;
const loneJobs = 40;
const watches = 20;

export async function run(flags: readonly string[]): Promise<readonly Figures[]> {
  await ensureSynthesis();
  const home = mkdtempSync(join(tmpdir(), 'bench-small-'));
  try {
    const ours = await withCloud(home, 'cdk.out', (endpoints) =>
      withFleet(home, endpoints, async (place) => {
        const figures = await measure(place, home, flags.includes('--calls'));
        return flags.includes('--backlog')
          ? [...figures, ...(await backlogFigures(place, home))]
          : figures;
      }),
    );
    return flags.includes('--slurm') ? [...ours, ...(await slurmFigures(home))] : ours;
  } finally {
    rmSync(home, { recursive: true });
  }
}

async function measure(
  place: Endpoints,
  home: string,
  showsCalls: boolean,
): Promise<readonly Figures[]> {
  const api = clientOf(place);
  await inTurns(submitters, 5, () => api.submit());
  await until(async () => (await api.ended()) >= submitters * 5);
  const watching = await costOf(place, home, async () => {
    for (let count = 0; count < watches; count++) await api.ended();
  });
  const before = await api.ended();
  let looks = 0;
  let submitMs = 0;
  const many = await costOf(place, home, async () => {
    const startedAtMs = performance.now();
    const sent = inTurns(submitters, Math.ceil(jobs / submitters), () => api.submit());
    await sent.then(() => {
      submitMs = performance.now() - startedAtMs;
    });
    await until(async () => {
      looks++;
      return (await api.ended()) - before >= submitters * Math.ceil(jobs / submitters);
    });
  });
  const count = submitters * Math.ceil(jobs / submitters);
  const each = (name: string, of: Counted = many) =>
    ((of.calls.get(name) ?? 0) - (looks * (watching.calls.get(name) ?? 0)) / watches) / count;
  let rowsInReceipts = 0;
  const lone: number[] = [];
  const alone = await costOf(place, home, async () => {
    for (let at = 0; at < loneJobs; at++) {
      const { ms, rows } = await api.submitAndSee();
      lone.push(ms);
      rowsInReceipts += rows;
    }
  });
  lone.sort((a, b) => a - b);
  const batched = await rateOfBatches(api);
  const names = [...many.calls.keys()].sort();
  const sumOf = (start: string) =>
    names.filter((name) => name.startsWith(start)).reduce((sum, name) => sum + each(name), 0);
  const bill = dollarsPerMillion(sumOf);
  const calls = names.filter((name) => /^dynamodb \w+$/.test(name));
  const refused = each('dynamodb TransactWriteItems refused');
  return [
    { figure: 'jobs per second, submit to done', value: rounded(count / many.seconds) },
    { figure: 'the same in batches of 100', value: rounded(batched) },
    { figure: 'submits per second meanwhile', value: rounded((count / submitMs) * 1_000) },
    { figure: 'one job, submit to seen done, ms p50', value: rounded(lone[loneJobs / 2]!) },
    { figure: 'processor time per job, ms', value: rounded((many.cpuSeconds / count) * 1_000) },
    {
      figure: 'calls to the table per job',
      value: rounded(calls.reduce((sum, name) => sum + each(name), 0)),
    },
    { figure: 'function invocations per job', value: rounded(sumOf('function ')) },
    {
      figure: 'transactions refused, part of all',
      value: rounded(refused / each('dynamodb TransactWriteItems')),
    },
    { figure: 'dollars of table writes per million jobs', value: rounded(bill.writes) },
    { figure: 'dollars per million jobs', value: rounded(bill.all) },
    {
      figure: 'rows by the receipts of lone jobs, part of those counted',
      value: rounded(rowsInReceipts / rowsWritten(alone)),
    },
    ...(showsCalls
      ? names.map((name) => ({ figure: `${name}, per job`, value: rounded(each(name)) }))
      : []),
  ];
}

function rowsWritten({ calls }: Counted): number {
  const kinds = ['TransactWriteItems rows', 'PutItem', 'UpdateItem', 'DeleteItem'];
  return kinds.reduce((sum, kind) => sum + (calls.get(`dynamodb ${kind}`) ?? 0), 0);
}

const batchers = 2;
const batchesEach = 3;
const batchSize = 100;

async function rateOfBatches(api: ReturnType<typeof clientOf>): Promise<number> {
  const before = await api.ended();
  const startedAtMs = performance.now();
  await inTurns(batchers, batchesEach, () => api.submitBatch(batchSize));
  const count = batchers * batchesEach * batchSize;
  await until(async () => (await api.ended()) - before >= count);
  return (count / (performance.now() - startedAtMs)) * 1_000;
}

type Counted = {
  readonly calls: ReadonlyMap<string, number>;
  readonly seconds: number;
  readonly cpuSeconds: number;
};

/** What was called, invoked and computed while this ran. */
async function costOf(place: Endpoints, home: string, what: () => Promise<void>): Promise<Counted> {
  const pids = processesOf(home).map(({ pid }) => pid);
  const [before, cpuBefore, startedAtMs] = [
    await countsOf(place),
    processorSeconds(pids),
    performance.now(),
  ];
  await what();
  const seconds = (performance.now() - startedAtMs) / 1_000;
  const cpuSeconds = processorSeconds(pids) - cpuBefore;
  const after = await countsOf(place);
  const grown = [...after].map(([name, value]) => [name, value - (before.get(name) ?? 0)] as const);
  return { calls: new Map(grown.filter(([, value]) => value > 0)), seconds, cpuSeconds };
}

async function countsOf({ aws }: Endpoints): Promise<ReadonlyMap<string, number>> {
  const { calls, functions } = (await (await fetch(`${aws}/_local/calls`)).json()) as {
    calls: Record<string, number>;
    functions: Record<string, { invocations: number }>;
  };
  const invoked = Object.entries(functions).map(([name, { invocations }]) => {
    return [`function ${name.replace(/^Edgewise-/, '')}`, invocations] as const;
  });
  return new Map([...Object.entries(calls), ...invoked]);
}

async function withFleet<T>(
  home: string,
  place: Endpoints,
  use: (place: Endpoints, home: string) => Promise<T>,
): Promise<T> {
  const range = ['10', String(10 + edges)];
  const words = ['cli/main.ts', 'fleet', ...range, '--data', join(home, 'edges')];
  const env = { ...process.env, EDGEWISE_API: place.api, EDGEWISE_TOKEN: place.token };
  const fleet = spawn(process.execPath, ['--no-warnings', ...words], { env, stdio: 'ignore' });
  try {
    await until(async () => (await clientOf(place).connected()) >= edges);
    return await use(place, home);
  } finally {
    const ended = once(fleet, 'exit');
    fleet.kill('SIGTERM');
    await ended;
  }
}

const rounded = (value: number): number => Math.round(value * 100) / 100;
