/** What a template says about one schedule (`AWS::Scheduler::Schedule`), resolved. */
export type ScheduleDefinition = {
  readonly name: string;
  readonly arn: string;
  readonly expression: string;
  readonly timezone: string;
  readonly enabled: boolean;
  readonly targetArn: string;
  readonly roleArn: string;
  readonly input: string | undefined;
};
