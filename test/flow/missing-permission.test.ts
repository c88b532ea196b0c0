import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { editedApp, makeProduct, type Product } from './product.ts';
import { askApi, ready, until } from './start/stage.ts';

/**
 * A permission that the template forgot fails here as it would on AWS, and whoever forgot it reads
 * which function (or edge) wanted which action on which resource.
 */
let product: Product;
beforeEach(async () => {
  product = await makeProduct();
  product.place.expectDenials();
});
afterEach(() => product.remove());

type Statement = { Action: string | string[]; Resource: unknown };
type Document = { PolicyDocument: { Statement: Statement[] } };

describe('one action taken out of the policy of a role', () => {
  async function startWithout(policy: RegExp, action: string): Promise<void> {
    const out = editedApp(product.place, (resources) => {
      const [, resource] = Object.entries(resources).find(
        ([id, { Type }]) => Type === 'AWS::IAM::Policy' && policy.test(id),
      )!;
      const { PolicyDocument } = resource.Properties as Document;
      let taken = 0;
      for (const statement of PolicyDocument.Statement) {
        const actions = [statement.Action].flat();
        if (!actions.includes(action)) continue;
        taken++;
        statement.Action = actions.filter((one) => one !== action);
      }
      expect(taken).toBeGreaterThan(0);
      PolicyDocument.Statement = PolicyDocument.Statement.filter(
        ({ Action }) => [Action].flat().length > 0,
      );
    });
    await ready(product.place.run(out), 'Local cloud ready');
  }

  test('of the scheduler: no edge hears of the job, and the flow says what is missing', async () => {
    await startWithout(/^SchedulerPassRole/, 'iot:UpdateThingShadow');
    product.startAgent('edge-1');
    await product.untilConnected(1);
    const { id } = await product.submit({ power: 403 });
    await until('a refusal', () => product.place.denials().length > 0);
    expect(product.place.denials()[0]).toMatch(
      new RegExp(
        'denied arn:aws:sts::\\d+:assumed-role/\\S*SchedulerPassRole\\S*/' +
          '\\S*SchedulerPassFunction\\S* iot:UpdateThingShadow on ' +
          'arn:aws:iot:us-east-1:\\d+:thing/edge-1/work',
      ),
    );
    await expect(product.done(id, 1_000)).rejects.toThrow(
      /SchedulerPassFunction\S* iot:UpdateThingShadow on \S+thing\/edge-1\/work/,
    );
  });

  test('of an API function: the call fails, and iam.log says why', async () => {
    await startWithout(/^HttpjobswriteRole/, 'dynamodb:PutItem');
    const answer = await askApi<{ status: number }>(product.place, '/v1/jobs', {
      method: 'POST',
      body: JSON.stringify({ power: 403 }),
    });
    expect(answer.status).not.toBe(202);
    expect(product.place.denials().join('\n')).toMatch(
      /HttpjobswriteFunction\S* dynamodb:PutItem on arn:aws:dynamodb:us-east-1:\d+:table\//,
    );
  });
});

describe('one statement taken out of the edge policy', () => {
  const statements: [string, string, RegExp][] = [
    ['iot:Connect', 'client/edge-1', /edge-1: not connected: .*not authorized/i],
    [
      'iot:Subscribe',
      'topicfilter/$aws/things/edge-1/shadow/name/',
      /edge-1: not connected: subscription refused/,
    ],
  ];
  test.each(statements)('%s: the edge says that it is refused', async (action, resource, says) => {
    const out = editedApp(product.place, (resources) => {
      const policy = Object.values(resources).find(({ Type }) => Type === 'AWS::IoT::Policy')!;
      const { PolicyDocument } = policy.Properties as Document;
      const kept = PolicyDocument.Statement.filter(({ Action }) => Action !== action);
      expect(kept.length).toBe(PolicyDocument.Statement.length - 1);
      PolicyDocument.Statement = kept;
    });
    await ready(product.place.run(out), 'Local cloud ready');
    const agent = product.startAgent('edge-1');
    await until('a refusal', () => product.place.denials().length > 0);
    expect(product.place.denials()[0]).toContain(
      `denied MQTT client edge-1 ${action} on arn:aws:iot:`,
    );
    expect(product.place.denials()[0]).toContain(resource);
    await until('the edge says it too', () => says.test(agent.text()));
  });
});
