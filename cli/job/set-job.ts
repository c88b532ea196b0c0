import type { Job } from '../../core/contract/resources.ts';
import { defineCommand, givesAny } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { parsePairs } from '../input/pairs.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { describeJob } from './job-view.ts';

/**
 * Labels and retries are read first and sent whole with `If-Match`, so that two who change them do
 * not undo each other.
 */
export const command = defineCommand({
  name: 'job set',
  about: 'change the priority, the labels or the retries of a job',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: {
    priority: { kind: 'number', value: '0-100', min: 0, max: 100, about: 'higher first' },
    label: { kind: 'list', short: 'l', value: 'K=V', about: 'set a label; K= removes it' },
    attempts: { kind: 'number', value: 'N', min: 1, max: 100, about: 'tries of a chunk' },
    backoff: { kind: 'number', value: 'S', min: 0, about: 'seconds between tries' },
    'max-failed': { kind: 'number', value: 'N', min: 1, about: 'failed chunks that end the job' },
  },
  examples: ['edgewise job set last --priority 90 --label team=a'],
  async run({ args, flags, given, api, output, terminal }) {
    if (!givesAny(given))
      throw usage('Nothing to change is given.', 'See: edgewise job set --help');
    const client = api();
    const job = await withJob(client, args[0]!, async (id) => {
      const seen = await client.ask<Job>('GET', jobPath(id));
      const body = changeOf(flags, seen.body);
      const headers = seen.etag === null ? {} : { 'if-match': seen.etag };
      return (await client.ask<Job>('PATCH', jobPath(seen.body.id), { body, headers })).body;
    });
    const style = { colour: output.colour, wide: true, nowMs: terminal.nowMs() };
    output.single(job, job.id, () => describeJob(job, style));
    return exitCode.ok;
  },
});

type Change = {
  readonly priority: number | undefined;
  readonly label: readonly string[];
  readonly attempts: number | undefined;
  readonly backoff: number | undefined;
  readonly 'max-failed': number | undefined;
};

function changeOf(flags: Change, job: Job): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  if (flags.priority !== undefined) body.priority = flags.priority;
  if (flags.label.length > 0) {
    const labels = { ...job.spec.labels, ...parsePairs(flags.label, 'label') };
    body.labels = Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
  }
  const retries = Object.entries({
    attempts: flags.attempts,
    backoffSeconds: flags.backoff,
    maxFailedChunks: flags['max-failed'],
  }).filter(([, value]) => value !== undefined);
  if (retries.length > 0) {
    body.retries = { ...(job.spec.retries as object | undefined), ...Object.fromEntries(retries) };
  }
  return body;
}
