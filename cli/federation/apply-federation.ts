import { resolve } from 'node:path';
import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { usage } from '../failure.ts';
import { confirm, yesFlag } from '../input/confirmation.ts';
import { descriptionIn } from './description.ts';
import { descriptionFlags, refuseOneApi } from './description-flags.ts';
import { secretFilesIn } from './secret-files.ts';
import { compareStages, mendStage, type StageReport, stagesOf } from './stage.ts';
import { linesOfMending, recordOf, stageTable } from './stage-view.ts';

/**
 * Looks first, everywhere; then changes only what differs, so that a second run changes nothing.
 * Tokens that are to be made need a place for their secrets before anything is changed.
 */
export const command = defineCommand({
  name: 'federation apply',
  about: 'bring stages to one description of pools, queues and tokens',
  args: [],
  flags: {
    ...descriptionFlags,
    secrets: {
      kind: 'text',
      value: 'DIR',
      about: 'secrets of new tokens go to DIR/STAGE/TOKEN, for you only',
    },
    ...yesFlag,
  },
  examples: [
    'edgewise federation apply -f stages.yaml --secrets secrets',
    'edgewise federation apply -f stages.yaml --stage lab --yes',
  ],
  async run({ flags, given, output, terminal }) {
    refuseOneApi(given);
    const wanted = await descriptionIn(terminal, flags.file ?? '-');
    const reports = await compareStages(terminal, wanted, stagesOf(terminal, wanted, flags.stage));
    if (flags.secrets === undefined && reports.some(makesTokens)) {
      throw usage(
        'Tokens are to be made, and their secrets are shown nowhere.',
        'Give --secrets DIR, where they are kept. Nothing was changed.',
      );
    }
    const losses = reports.reduce((sum, report) => sum + lossesOf(report), 0);
    if (losses > 0) {
      const things = losses === 1 ? 'thing' : 'things';
      await confirm(terminal, flags.yes, `Remove or revoke ${losses} ${things}?`);
    }
    const directory = flags.secrets && resolve(terminal.directory, flags.secrets);
    const secrets = directory === undefined ? null : secretFilesIn(directory);
    const mended = await Promise.all(reports.map((report) => mendStage(report, secrets)));
    const lines = reports.flatMap((report, at) => linesOfMending(report, mended[at]!));
    output.list({ stages: reports.map((it, at) => recordOf(it, mended[at]!)) }, lines, stageTable);
    const isWhole =
      reports.every(({ problem }) => problem === null) &&
      mended.flat().every(({ problem }) => problem === null);
    return isWhole ? exitCode.ok : exitCode.failure;
  },
});

function makesTokens({ drifts }: StageReport): boolean {
  return drifts.some(({ kind, body }) => kind === 'token' && body !== null);
}

/** What goes for good: a pool, a queue, each token. */
function lossesOf({ drifts }: StageReport): number {
  return drifts
    .map(({ kind, drift, revoked }) =>
      kind === 'token' ? revoked.length : Number(drift === 'unwanted'),
    )
    .reduce((sum, count) => sum + count, 0);
}
