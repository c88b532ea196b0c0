import { Construct } from 'constructs';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { callEveryMinute } from './minute-schedule.ts';

/** Once a minute makes jobs of schedules, and those of jobspecs that somebody left half made. */
export class SubmissionSweep extends Construct {
  constructor(
    scope: Construct,
    id: string,
    props: { readonly table: EdgewiseTable; readonly stage: Stage },
  ) {
    super(scope, id);
    const sweep = new EdgewiseFunction(this, 'Submissions', {
      entry: 'submissions',
      description: 'Makes jobs of schedules, and of jobspecs whose submission broke off',
      stage: props.stage,
      timeoutSeconds: 50,
      environment: { TABLE_NAME: props.table.table.tableName },
      alarm: 'errors',
    });
    props.table.allowReads(sweep, { lists: true });
    props.table.allowWrites(sweep);
    callEveryMinute(this, sweep);
  }
}
