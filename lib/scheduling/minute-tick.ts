import { Construct } from 'constructs';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';
import { callEveryMinute } from './minute-schedule.ts';

/** Time passes for cells once a minute: one schedule for the whole fleet, never one per lease. */
export class MinuteTick extends Construct {
  readonly function: EdgewiseFunction;

  constructor(
    scope: Construct,
    id: string,
    props: { readonly table: EdgewiseTable; readonly stage: Stage },
  ) {
    super(scope, id);
    this.function = new EdgewiseFunction(this, 'Tick', {
      entry: 'tick',
      description: 'Touches each cell that has work or lost edges, once a minute',
      stage: props.stage,
      timeoutSeconds: 50,
      environment: { TABLE_NAME: props.table.table.tableName },
      alarm: 'errors',
    });
    props.table.allowReads(this.function, { lists: true });
    props.table.allowWrites(this.function);
    callEveryMinute(this, this.function);
  }
}
