/** What a template says about one alarm (`AWS::CloudWatch::Alarm`) on a single metric. */
export interface AlarmDefinition {
  readonly name: string;
  readonly namespace: string;
  readonly metric: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly statistic: string;
  readonly periodSeconds: number;
  readonly threshold: number;
  readonly comparison: string;
  readonly evaluationPeriods: number;
  readonly datapointsToAlarm: number;
  readonly treatMissingData: string;
}
