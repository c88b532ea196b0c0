import { randomUUID } from 'node:crypto';
import type { Answer, Api } from '../client/api.ts';
import type { Job } from '../client/resources.ts';
import { defineCommand } from '../command.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecText } from '../input/spec-file.ts';
import type { Terminal } from '../terminal.ts';
import { type JobBody, type JobFlagValues, jobFlags } from './input/job-flags.ts';
import { readJob } from './input/job-input.ts';
import { jobPath } from './input/job-reference.ts';
import { awaitJob, readWait, sayEnding, type Wait, waitFlags } from './job-ending.ts';
import { showPlan } from './plan-job.ts';

/**
 * The id goes to stdout and nothing else does, so that `id=$(edgewise submit …)` works; what to do
 * next goes to stderr.
 */
export const command = defineCommand({
  name: 'job submit',
  shortcut: 'submit',
  about: 'submit a job; prints its id',
  args: [],
  rest: 'PROGRAM ARGS…',
  flags: {
    ...jobFlags,
    ...waitFlags,
    'dry-run': { kind: 'switch', about: 'only say where it would go now' },
    id: { kind: 'text', value: 'ID', about: 'create or update the job of this id', rare: true },
    'no-overwrite': { kind: 'switch', about: 'with --id: refuse an existing one', rare: true },
    jobspec: { kind: 'switch', about: 'the file is a jobspec', rare: true },
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
  ],
  async run({ flags, rest, api, output, terminal }): Promise<ExitCode> {
    const wait = readWait(flags);
    const client = api();
    if (flags.jobspec) {
      return finish(await sendJobspec(client, terminal, flags), wait);
    }
    const body = await readJob(client, terminal, flags, rest);
    if (flags['dry-run']) return showPlan(client, body, output);
    return finish(await sendJob(client, body, flags), wait);

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
      return ending.code;
    }
  },
});

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

async function sendJobspec(client: Api, terminal: Terminal, flags: SubmitFlags): Promise<Job> {
  if (flags.file === undefined)
    throw usage('--jobspec needs --file.', 'edgewise submit --jobspec --file jobspec.yaml');
  const body = await readSpecText(terminal, flags.file);
  const key = flags['idempotency-key'] ?? randomUUID();
  const answer = await client.ask<Job>('POST', '/v1/jobspecs', {
    body,
    contentType: 'application/yaml',
    headers: { 'idempotency-key': key },
  });
  return answer.body;
}

function sayNext(terminal: Terminal, id: string): void {
  terminal.say(`  follow it      edgewise watch ${id}`);
  terminal.say(`  why it waits   edgewise explain ${id}`);
  terminal.say(`  its output     edgewise logs ${id}`);
  terminal.say(`  stop it        edgewise job cancel ${id}`);
}
