import type { Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { defineCommand } from '../command.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { Failure, usage } from '../failure.ts';
import { formatDurationMs, parseDurationMs } from '../input/duration.ts';
import { awaitEnding } from '../job/await-ending.ts';
import { jobPath, withJob } from '../job/input/job-reference.ts';
import { waitFlags } from '../job/job-ending.ts';
import { failedUpdateMs, waitMsDefault } from '../limits.ts';
import { readyText, rolloutText } from './service-view.ts';

/** A service has no end: what is waited for is that it stands as it is wanted. */
export const command = defineCommand({
  name: 'service wait',
  about: 'wait until all instances are ready and run what is wanted (7: the update failed)',
  args: [{ name: 'SERVICE', noun: 'job' }],
  flags: { timeout: waitFlags.timeout },
  examples: ['edgewise service wait last', 'edgewise service wait last --timeout 5m'],
  async run({ args, flags, api, output, terminal }) {
    const { timeout } = flags;
    const limitMs = timeout === undefined ? waitMsDefault : parseDurationMs(timeout, 'timeout');
    const client = api();
    const first = await withJob(client, args[0]!, (job) => client.get<Job>(jobPath(job)));
    const { id } = first;
    if (first.spec.kind === 'batch') {
      throw usage('Only a service is waited for so.', `A job: edgewise job wait ${id}`);
    }
    const startMs = terminal.nowMs();
    const { found, code } = await awaitEnding<Job>(terminal, limitMs, {
      look: () => client.get<Job>(jobPath(id)),
      codeOf: (service) => codeOfService(service, terminal.nowMs() - startMs),
      percentOf: ({ status }) => status.percent,
      barText: (service) => `${readyText(service)} ready, ${rolloutText(service)}`,
      tooLong: (service) => tooLong(id, service, timeout ?? formatDurationMs(limitMs)),
      interrupted: () =>
        new Failure(exitCode.interrupted, `Stopped waiting; service ${id} goes on.`),
    });
    output.single(found, id, () => {
      return `${id} ${found.status.state}, ${readyText(found)} ready, ${rolloutText(found)}\n`;
    });
    if (code !== exitCode.ok) terminal.say(`  what it printed  edgewise service logs ${id} N`);
    return code;
  },
});

/** That an update failed may be said of the one before, until the first pass has seen this one. */
function codeOfService(
  { generation: wanted, status: { state, service } }: Job,
  waitedMs: number,
): ExitCode | null {
  if (service === undefined) return exitCode.ok;
  if (isFinal(state)) return state === 'done' ? exitCode.ok : exitCode.jobFailed;
  if (service.rollout === 'paused' || service.rollout === 'rolled-back') {
    return waitedMs < failedUpdateMs ? null : exitCode.jobFailed;
  }
  const isThere = service.rollout === 'done' && service.generation >= wanted;
  return isThere && (state === 'running' || state === 'stopped') ? exitCode.ok : null;
}

function tooLong(id: string, service: Job | null, limit: string): Failure {
  const how = service === null ? 'nobody answers' : `${readyText(service)} are ready`;
  return new Failure(
    exitCode.timedOut,
    `Of service ${id} ${how} after ${limit}.`,
    `It goes on. Look again: edgewise service get ${id}   why it waits: edgewise explain ${id}`,
  );
}
