import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import { EdgewiseFunction } from '../frame/edgewise-function.ts';
import type { EdgewiseTable } from '../frame/edgewise-table.ts';
import type { Stage } from '../frame/stage.ts';

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
    const role = new Role(this, 'ScheduleRole', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
    });
    const invoke = role.addToPrincipalPolicy(
      new PolicyStatement({
        actions: ['lambda:InvokeFunction'],
        resources: [this.function.lambda.functionArn],
      }),
    ).policyDependable;
    const schedule = new CfnSchedule(this, 'EveryMinute', {
      scheduleExpression: 'rate(1 minute)',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: this.function.lambda.functionArn,
        roleArn: role.roleArn,
        // A tick that could not be delivered is worth nothing a minute later.
        retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 1 },
      },
    });
    if (invoke !== undefined) schedule.node.addDependency(invoke);
  }
}
