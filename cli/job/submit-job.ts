import { randomUUID } from 'node:crypto';
import type { Job } from '../../core/contract/resources.ts';
import type { Answer, Api } from '../client/api.ts';
import { defineCommand } from '../command.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readLocalArchive, readLocalInput } from '../files/local-input.ts';
import { uploadFiles } from '../files/upload-files.ts';
import { showMatches } from '../jobspec/satisfy-jobspec.ts';
import { sayTasks, sendJobspec } from '../jobspec/send-jobspec.ts';
import { finishSubmission } from '../jobspec/submission-ending.ts';
import { pullResults, sayPulled } from '../results/pull-results.ts';
import { readKeyFile } from '../sign/key-file.ts';
import { signedBody } from '../sign/signed-body.ts';
import type { Terminal } from '../terminal.ts';
import { type JobBody, type JobFlagValues, jobFlags } from './input/job-flags.ts';
import { readJobs } from './input/job-input.ts';
import { jobPath } from './input/job-reference.ts';
import { addSweep, type SweepFlagValues, sweepFlags, sweepFlagsOf } from './input/sweep-input.ts';
import { awaitJob, readWait, sayEnding, type Wait, waitFlags } from './job-ending.ts';
import { showPlan } from './plan-job.ts';
import { sendBatches } from './send-batches.ts';

/**
 * The id goes to stdout and nothing else does, so that `id=$(edgewise submit …)` works; what to do
 * next goes to stderr. A file of several documents is sent as batches, each of them all or none.
 */
export const command = defineCommand({
  name: 'job submit',
  shortcut: 'submit',
  about: 'submit a job; prints its id',
  args: [],
  rest: 'PROGRAM ARGS…',
  flags: {
    ...jobFlags,
    ...sweepFlags,
    ...waitFlags,
    input: {
      kind: 'list',
      short: 'i',
      value: 'FILE',
      about: 'a file or directory that every chunk finds; [PATH=]FILE, may be repeated',
    },
    unpack: {
      kind: 'list',
      value: 'FILE',
      about: 'an archive (.tar.gz) of what every chunk finds; [PATH=]FILE',
      rare: true,
    },
    pull: { kind: 'switch', about: 'wait, and fetch the results to a directory of its name' },
    'dry-run': { kind: 'switch', about: 'only say where it would go now' },
    id: { kind: 'text', value: 'ID', about: 'create or update the job of this id', rare: true },
    'no-overwrite': { kind: 'switch', about: 'with --id: refuse an existing one', rare: true },
    sign: { kind: 'text', value: 'KEY', noun: 'file', about: 'sign it with this key', rare: true },
    jobspec: {
      kind: 'switch',
      about: 'the file is a jobspec: the same as jobspec submit',
      rare: true,
    },
    'idempotency-key': {
      kind: 'text',
      value: 'KEY',
      about: 'the same key submits once',
      rare: true,
    },
  },
  examples: [
    'edgewise submit --power 403 --wait',
    "edgewise submit --chunks 8 --chunk-power 50 -- sh -c 'echo chunk $EDGEWISE_CHUNK'",
    'edgewise submit --file job.yaml --wait=placed --timeout 10s',
    'edgewise submit --each-csv runs.csv -- python train.py --lr {lr} --seed {seed}',
    'edgewise submit --matrix lr=0.1,0.01 --matrix seed=1..3 -- python train.py {lr} {seed}',
    "edgewise submit --chunks 8 --input data/ --outputs sum --pull -- sh -c 'cat data/* > sum'",
  ],
  async run({ flags, rest, api, output, terminal }): Promise<ExitCode> {
    const wait = readWait({ ...flags, wait: flags.wait ?? (flags.pull ? 'done' : undefined) });
    checkPull(flags, wait);
    const client = api();
    if (flags.jobspec) {
      if (flags.file === undefined) {
        throw usage('--jobspec needs --file.', 'edgewise jobspec submit jobspec.yaml');
      }
      const asked = { ...flags, cluster: [], select: undefined, priorities: undefined };
      const place = { ...asked, unsatisfied: undefined };
      const answer = await sendJobspec(client, terminal, flags.file, place);
      if (!('id' in answer)) return showMatches(answer, output, terminal);
      sayTasks(terminal, answer);
      return finishSubmission(answer, wait, { api: client, output, terminal });
    }
    const sign = signerOf(terminal, flags.sign);
    const bodies = await readJobs(client, terminal, flags, rest);
    if (bodies.length > 1) {
      checkSeveral(flags, wait);
      const jobs = await sendBatches(client, bodies.map(sign), flags['idempotency-key']);
      output.single(jobs, jobs.map(({ id }) => id).join('\n'), () => idsOf(jobs));
      return exitCode.ok;
    }
    const body = bodies[0]!;
    await addSweep(client, terminal, body, flags);
    if (flags['dry-run']) return showPlan(client, body, output);
    await addInputs(client, terminal, body, flags);
    return finish(await sendJob(client, sign(body), flags), wait);

    async function finish(job: Job, wait: Wait | null): Promise<ExitCode> {
      const plain = output.format === 'table' || output.format === 'name';
      if (plain) terminal.out(`${job.id}\n`);
      if (wait === null) {
        if (!plain) output.single(job, job.id, () => `${job.id}\n`);
        sayNext(terminal, job.id);
        return exitCode.ok;
      }
      const ending = await awaitJob(client, terminal, job.id, wait);
      if (!plain) output.single(ending.job, job.id, () => `${job.id}\n`);
      sayEnding(terminal, ending);
      if (flags.pull) {
        const everything = { chunk: undefined, to: undefined };
        sayPulled(terminal, await pullResults(client, terminal, job.id, everything));
      }
      return ending.code;
    }
  },
});

/** Last of all, when nothing of it changes any more. */
function signerOf(terminal: Terminal, file: string | undefined): (body: JobBody) => JobBody {
  if (file === undefined) return (body) => body;
  const key = readKeyFile(terminal, file);
  return (body) => signedBody(body, key, null);
}

type SeveralFlags = SubmitFlags &
  SweepFlagValues & {
    readonly 'dry-run': boolean;
    readonly pull: boolean;
  } & InputFlags;

type InputFlags = { readonly input: readonly string[]; readonly unpack: readonly string[] };

/** What the job names must be stored before the job is. */
async function addInputs(
  client: Api,
  terminal: Terminal,
  body: JobBody,
  { input, unpack }: InputFlags,
): Promise<void> {
  const local = [];
  for (const word of input) local.push(await readLocalInput(word, terminal.directory));
  for (const word of unpack) local.push(await readLocalArchive(word, terminal.directory));
  if (local.length === 0) return;
  const sources = local.flatMap((one) => one.sources);
  await uploadFiles(client, terminal, sources, textOf(body.pool));
  const before: readonly unknown[] = Array.isArray(body.inputs) ? body.inputs : [];
  body.inputs = [...before, ...local.map(({ input }) => input)];
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;

function checkPull({ pull }: { readonly pull: boolean }, wait: Wait | null): void {
  if (!pull || wait?.goal === 'done') return;
  throw usage('--pull waits for the end of the job.', 'Leave out --wait=placed, or pull later.');
}

type SubmitFlags = JobFlagValues & {
  readonly id: string | undefined;
  readonly 'no-overwrite': boolean;
  readonly 'idempotency-key': string | undefined;
};

/** Every submission carries a key: repeated after a broken connection, it is still one job. */
async function sendJob(client: Api, body: JobBody, flags: SubmitFlags): Promise<Job> {
  let answer: Answer<Job>;
  if (flags.id !== undefined) {
    const headers = flags['no-overwrite'] ? { 'if-none-match': '*' } : {};
    answer = await client.ask('PUT', jobPath(flags.id), { body, headers });
  } else {
    if (flags['no-overwrite'])
      throw usage('--no-overwrite needs --id.', 'Without an id every job is new.');
    const key = flags['idempotency-key'] ?? randomUUID();
    answer = await client.ask('POST', '/v1/jobs', { body, headers: { 'idempotency-key': key } });
  }
  return answer.body;
}

/** What is said of one job says nothing of several. */
function checkSeveral(flags: SeveralFlags, wait: Wait | null): void {
  const given = [
    ...(flags.id === undefined ? [] : ['--id']),
    ...(flags['dry-run'] ? ['--dry-run'] : []),
    ...(wait === null ? [] : ['--wait']),
    ...(flags.input.length === 0 ? [] : ['--input']),
    ...(flags.unpack.length === 0 ? [] : ['--unpack']),
    ...sweepFlagsOf(flags),
    ...(flags.pull ? ['--pull'] : []),
  ];
  if (given.length === 0) return;
  throw usage(`${given.join(' and ')}: the file has several jobs.`, 'Give a file with one.');
}

function idsOf(jobs: readonly Job[]): string {
  return jobs.map(({ id }) => `${id}\n`).join('');
}

function sayNext(terminal: Terminal, id: string): void {
  terminal.say(`  follow it      edgewise watch ${id}`);
  terminal.say(`  why it waits   edgewise explain ${id}`);
  terminal.say(`  its output     edgewise logs ${id}`);
  terminal.say(`  stop it        edgewise job cancel ${id}`);
}
