import { App, Stack } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { afterAll, expect, test } from 'vitest';
import { outputDirectory, removeOutputs, synthesized } from './synthesized.ts';

/**
 * The same rule packs that `cdk synth` runs; what stands in spite of them is accepted with a reason
 * beside it.
 */
function findings(app: App): string[] {
  return [new AwsSolutionsChecks(app), new ServerlessChecks(app)].flatMap((pack) =>
    pack.validateScope(app).violations.map((it) => it.ruleName),
  );
}

afterAll(removeOutputs);

// Some hundred rules on each of some hundred resources: seconds, and many of them on a busy
// machine.
test('the stack has no finding that is not accepted', { timeout: 180_000 }, () => {
  expect(findings(synthesized().app)).toEqual([]);
});

test('a finding would be seen', () => {
  const app = new App({ analyticsReporting: false, outdir: outputDirectory() });
  new Queue(new Stack(app, 'Other'), 'Bare');
  const found = findings(app);
  expect(found).toContain('AwsSolutions-SQS4');
  expect(found).toContain('Serverless-SQSRedrivePolicy');
});
