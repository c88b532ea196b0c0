import { join } from 'node:path';
import type { SatisfyAnswer } from '../../core/contract/jobspec/jobspec-answer.ts';
import { satisfies } from '../../core/graph/satisfy.ts';
import { defineCommand } from '../command.ts';
import { type ExitCode, exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { readSpecText } from '../input/spec-file.ts';
import type { Output } from '../output/output.ts';
import type { Terminal } from '../terminal.ts';
import { matchTable } from './jobspec-view.ts';
import { planOffline } from './read-offline.ts';
import { placeFlags, placeQuery } from './send-jobspec.ts';
import { readUserSubsystems } from './user-subsystems.ts';

export const liveFlag = {
  kind: 'switch',
  about: 'leave out who is cordoned or not connected',
} as const;

/** Which clusters have what a jobspec asks for; or whether a user's own subsystems do. */
export const command = defineCommand({
  name: 'jobspec satisfy',
  about: 'say who has what a jobspec asks for, and why the others do not (7 if nobody)',
  args: [{ name: 'FILE', noun: 'file' }],
  flags: {
    ...placeFlags,
    live: liveFlag,
    'subsystem-dir': {
      kind: 'text',
      value: 'DIR',
      noun: 'file',
      about: 'ask the subsystems in these files, and no API (~/.compspec/subsystems)',
    },
    'require-all': {
      kind: 'switch',
      about: 'ask files as well; a subsystem that is not there is a mistake (2)',
    },
  },
  examples: [
    'edgewise jobspec satisfy jobspec.yaml --pool hpc',
    'edgewise jobspec satisfy jobspec.yaml --subsystem-dir ~/.compspec/subsystems',
  ],
  async run({ args, flags, api, output, terminal }) {
    const file = args[0]!;
    const isOffline = flags['subsystem-dir'] !== undefined || flags['require-all'];
    if (isOffline) {
      const asks = flags.pool ?? flags.queue ?? flags.cluster[0];
      if (asks !== undefined) {
        throw usage('Files are of no pool, queue or cluster.', 'Leave out one or the other.');
      }
      const directory = flags['subsystem-dir'] ?? join(terminal.home, '.compspec', 'subsystems');
      return satisfyFiles(file, directory, flags['require-all'], terminal, output);
    }
    const body = await readSpecText(terminal, file);
    const contentType = 'application/yaml';
    const query = { ...placeQuery(flags), ...(flags.live ? { live: 'true' } : {}) };
    const answer = await api().ask<SatisfyAnswer>('POST', '/v1/jobspecs/satisfy', {
      ...{ body, contentType, query },
    });
    return showMatches(answer.body, output, terminal);
  },
});

export function showMatches(answer: SatisfyAnswer, output: Output, terminal: Terminal): ExitCode {
  output.list(answer, answer.clusters, matchTable);
  const { clusters, more } = answer.totals;
  if (clusters === 0) terminal.say('There is neither a cluster nor a host in this pool.');
  if (more) terminal.say('The pool has more than were asked; name those to ask with --cluster.');
  return answer.satisfied ? exitCode.ok : exitCode.jobFailed;
}

type Verdict = { readonly name: string; readonly ok: boolean; readonly why: string | null };

/** Only what a task or a group asks of subsystems by name: files have no nodes. */
async function satisfyFiles(
  file: string,
  directory: string,
  requireAll: boolean,
  terminal: Terminal,
  output: Output,
): Promise<ExitCode> {
  const plan = await planOffline(terminal, file);
  const digest = await readUserSubsystems(terminal, directory);
  const noNodes = { ...plan, scheduled: new Set<string>() };
  const verdicts: Verdict[] = [];
  for (const unit of plan.units) {
    const match = satisfies({ digest, facts: null }, { ...noNodes, units: [unit] });
    if (match.matches) verdicts.push({ name: unit.name, ok: true, why: null });
    else {
      const { reason, at, detail } = match;
      if (requireAll && reason === 'subsystem-missing') throw usage(`${at}: ${detail}.`);
      verdicts.push({ name: unit.name, ok: false, why: detail });
    }
  }
  const satisfied = verdicts.every(({ ok }) => ok);
  const lines = verdicts.map(({ name, ok, why }) => `${name} ${ok ? 'OK' : `NOT OK: ${why}`}\n`);
  const names = verdicts.filter(({ ok }) => ok).map(({ name }) => name);
  output.single({ satisfied, tasks: verdicts }, names.join('\n'), () => lines.join(''));
  return satisfied ? exitCode.ok : exitCode.jobFailed;
}
