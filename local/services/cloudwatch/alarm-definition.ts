/** What a template says about one alarm (`AWS::CloudWatch::Alarm`) on a single metric. */
export type AlarmDefinition = {
  readonly name: string;
  readonly description: string | null;
  /** ARNs of what to do at the change to each state. */
  readonly actions: {
    readonly enabled: boolean;
    readonly OK: readonly string[];
    readonly ALARM: readonly string[];
    readonly INSUFFICIENT_DATA: readonly string[];
  };
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
};
