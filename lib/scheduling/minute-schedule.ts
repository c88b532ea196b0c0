import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { CfnSchedule } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { EdgewiseFunction } from '../frame/edgewise-function.ts';

/** Calls a function once a minute. A call that came late is worth nothing a minute later. */
export function callEveryMinute(scope: Construct, called: EdgewiseFunction): void {
  const { functionArn } = called.lambda;
  const role = new Role(scope, 'ScheduleRole', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com'),
  });
  const invoke = role.addToPrincipalPolicy(
    new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [functionArn] }),
  ).policyDependable;
  const schedule = new CfnSchedule(scope, 'EveryMinute', {
    scheduleExpression: 'rate(1 minute)',
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: functionArn,
      roleArn: role.roleArn,
      retryPolicy: { maximumEventAgeInSeconds: 60, maximumRetryAttempts: 1 },
    },
  });
  if (invoke !== undefined) schedule.node.addDependency(invoke);
}
