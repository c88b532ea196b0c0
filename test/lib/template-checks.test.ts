import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks, ServerlessChecks } from 'cdk-nag';
import { expect, test } from 'vitest';
import { synthesized } from './synthesized.ts';

/** The same rule packs that `cdk synth` runs; what stands in spite of them is accepted with a reason beside it. */
function findings(prepare: (stack: ReturnType<typeof synthesized>['stack']) => void = () => {}) {
  const { app, stack } = synthesized();
  prepare(stack);
  return [new AwsSolutionsChecks(app), new ServerlessChecks(app)].flatMap((pack) =>
    pack.validateScope(app).violations.map((it) => it.ruleName),
  );
}

test('the stack has no finding that is not accepted', () => {
  expect(findings()).toEqual([]);
});

test('a finding would be seen', () => {
  const found = findings((stack) => new Queue(stack, 'Bare'));
  expect(found).toContain('AwsSolutions-SQS4');
  expect(found).toContain('Serverless-SQSRedrivePolicy');
});
