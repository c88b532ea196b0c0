import type { Explanation, Job } from '../../core/contract/resources.ts';
import { isFinal } from '../../core/model/job.ts';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { clean } from '../output/table.ts';
import { jobPath, withJob } from './input/job-reference.ts';
import { reasonOnEdges } from './job-view.ts';

/** What the reason means and what a user can do about it. */
const meanings: Readonly<Record<string, string>> = {
  'no-edges': 'No edge is connected in its pool. Start one: edgewise agent --name edge-1',
  'no-free-power': 'All fitting edges are busy. It starts when a chunk ends; more edges help.',
  'chunk-larger-than-any-edge':
    'One chunk needs more than any edge has. Use more chunks or a larger edge.',
  'labels-do-not-match': 'No edge carries the labels it requires. See: edgewise edge list -o wide',
  'expression-does-not-match': 'No edge fits its expressions. See: edgewise edge get EDGE',
  'edge-cordoned': 'Edges that would fit take no new work. Allow them: edgewise edge uncordon EDGE',
  'edge-disconnected': 'Edges that would fit are not connected now.',
  'edge-refused': 'The policy file of the edge refuses this job.',
  'awaits-accept': 'A cluster takes its work by itself; look whether it is there and asks.',
  'shadow-full': 'The edge has as much work as its document can hold; it goes on by itself.',
  'max-edges': 'It already uses as many edges as it allows itself.',
  'gang-incomplete': 'It needs several nodes at once, and not enough are free together.',
  backoff: 'A chunk failed and waits for its next try.',
  dependency: 'It waits for another job to be done.',
  quota: 'Its queue has used up its quota for now.',
};

export const command = defineCommand({
  name: 'job explain',
  shortcut: 'explain',
  about: 'say in plain words what a job waits for',
  args: [{ name: 'JOB', noun: 'job' }],
  flags: {},
  examples: ['edgewise explain last'],
  async run({ args, api, output }) {
    const client = api();
    const id = await withJob(
      client,
      args[0]!,
      async (job) => (await client.get<Job>(jobPath(job))).id,
    );
    const [job, explanation] = await Promise.all([
      client.get<Job>(jobPath(id)),
      client.get<Explanation>(jobPath(id, '/explain')),
    ]);
    output.single(explanation, id, () => describeExplanation(job, explanation));
    return exitCode.ok;
  },
});

function describeExplanation(job: Job, explanation: Explanation): string {
  const { chunks, reason, state } = job.status;
  const { reasons } = explanation;
  const lines = [`Job ${job.id} is ${state}: ${chunks.done} of ${chunks.total} chunks are done.`];
  if (isFinal(state))
    lines.push(reason === null ? 'Nothing waits.' : `It ended because: ${reason}.`);
  else if (reasons.length === 0) {
    const active = chunks.running + chunks.scheduled;
    lines.push(
      active > 0
        ? `Nothing waits: ${active} chunks are on edges.`
        : 'It has not been looked at yet; ask again in a second.',
    );
  }
  for (const one of reasons) {
    lines.push(
      '',
      `${one.chunks} ${one.chunks === 1 ? 'chunk waits' : 'chunks wait'}: ${reasonOnEdges(one)}`,
    );
    if (one.detail) lines.push(`  ${one.detail}`);
    if (one.examples !== undefined && one.examples.length > 0)
      lines.push(`  for example ${one.examples.join(', ')}`);
    const meaning = meanings[one.reason] ?? meaningOfResource(one.reason);
    if (meaning !== null) lines.push(`  ${meaning}`);
  }
  const { inputsHeld } = explanation;
  if (inputsHeld !== undefined) {
    const edges = inputsHeld.edges === 1 ? 'edge has' : 'edges have';
    const named = inputsHeld.examples.join(', ');
    lines.push('', `${inputsHeld.edges} ${edges} inputs of it already: ${named}.`);
    lines.push('  Among edges that fit equally these come first.');
  }
  return `${lines.map(clean).join('\n')}\n`;
}

function meaningOfResource(reason: string): string | null {
  const resource = /^no-free-(.+)$/.exec(reason)?.[1];
  return resource === undefined ? null : `No fitting edge has enough ${resource} free.`;
}
