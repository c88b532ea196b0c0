import { defineCommand } from '../command.ts';
import { exitCode } from '../exit-code.ts';
import { descriptionIn } from './description.ts';
import { descriptionFlags, refuseOneApi } from './description-flags.ts';
import { compareStages, stagesOf } from './stage.ts';
import { linesOfDrift, recordOf, stageTable } from './stage-view.ts';

/**
 * Asks and changes nothing. A stage of which nothing is known is no stage without drift, so that
 * one decides about the exit code.
 */
export const command = defineCommand({
  name: 'federation diff',
  about: 'show in what stages differ from their description: 0 nothing, 5 something, 1 unknown',
  args: [],
  flags: { ...descriptionFlags },
  examples: [
    'edgewise federation diff -f stages.yaml',
    'edgewise federation diff -f s.yaml -o json',
  ],
  async run({ flags, given, output, terminal }) {
    refuseOneApi(given);
    const wanted = await descriptionIn(terminal, flags.file ?? '-');
    const reports = await compareStages(terminal, wanted, stagesOf(terminal, wanted, flags.stage));
    const stages = reports.map((report) => recordOf(report, null));
    output.list({ stages }, reports.flatMap(linesOfDrift), stageTable);
    if (reports.some(({ problem }) => problem !== null)) return exitCode.failure;
    return reports.some(({ drifts }) => drifts.length > 0) ? exitCode.conflict : exitCode.ok;
  },
});
