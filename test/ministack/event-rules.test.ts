import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import {
  CloudFormationClient,
  CreateStackCommand,
  DeleteStackCommand,
  DescribeStacksCommand,
} from '@aws-sdk/client-cloudformation';
import { DeleteMessageCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { until } from '../flow/start/stage.ts';
import { ask, firstRegion, standing } from './emulated.ts';

/**
 * Somebody else's stack with a rule on the bus of ours: what happens to a job comes to its queue
 * and starts its function, which says so to a server of this test.
 */
const stack = 'Edgewise-trial';
const rulesStack = 'rules-of-others';
const name = `ruled-${process.pid}`;

const received: string[] = [];
const server = createServer((request, response) => {
  void text(request).then((body) => {
    received.push(body);
    response.end();
  });
});
const stacks = new CloudFormationClient({ region: firstRegion });
const queues = new SQSClient({ region: firstRegion, useQueueUrlAsEndpoint: false });

const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
const events = { Service: 'events.amazonaws.com' };

const code = `exports.handler = (event) =>
  fetch(process.env.SAY_TO, { method: 'POST', body: JSON.stringify(event) }).then(() => null);`;

function template(bus: string, sayTo: string): object {
  const trust = { Effect: 'Allow', Principal: { Service: 'lambda.amazonaws.com' } };
  const send = { Effect: 'Allow', Principal: events, Action: 'sqs:SendMessage' };
  return {
    Resources: {
      Queue: { Type: 'AWS::SQS::Queue', Properties: { QueueName: name } },
      Allow: {
        Type: 'AWS::SQS::QueuePolicy',
        Properties: {
          Queues: [{ Ref: 'Queue' }],
          PolicyDocument: {
            Version: '2012-10-17',
            Statement: [{ ...send, Resource: arnOf('Queue') }],
          },
        },
      },
      Role: {
        Type: 'AWS::IAM::Role',
        Properties: {
          AssumeRolePolicyDocument: {
            Version: '2012-10-17',
            Statement: [{ ...trust, Action: 'sts:AssumeRole' }],
          },
        },
      },
      Function: {
        Type: 'AWS::Lambda::Function',
        Properties: {
          ...{ FunctionName: name, Runtime: 'nodejs22.x', Handler: 'index.handler' },
          ...{ Role: arnOf('Role'), Code: { ZipFile: code } },
          Environment: { Variables: { SAY_TO: sayTo } },
        },
      },
      Rule: {
        Type: 'AWS::Events::Rule',
        Properties: {
          EventBusName: bus,
          EventPattern: { source: ['edgewise'], 'detail-type': ['job.cancelled'] },
          Targets: [
            { Id: 'Queue', Arn: arnOf('Queue') },
            { Id: 'Function', Arn: arnOf('Function') },
          ],
        },
      },
      MayInvoke: {
        Type: 'AWS::Lambda::Permission',
        Properties: {
          ...{ Action: 'lambda:InvokeFunction', Principal: events.Service },
          ...{ FunctionName: { Ref: 'Function' }, SourceArn: arnOf('Rule') },
        },
      },
    },
    Outputs: { QueueUrl: { Value: { Ref: 'Queue' } } },
  };
}

let queue: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { outputs } = await standing(stack);
  const sayTo = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const TemplateBody = JSON.stringify(template(outputs.get('EventBusName')!, sayTo));
  const Capabilities = ['CAPABILITY_IAM' as const];
  await stacks.send(new CreateStackCommand({ StackName: rulesStack, TemplateBody, Capabilities }));
  queue = await until('the rule stands', async () => {
    const described = await stacks.send(new DescribeStacksCommand({ StackName: rulesStack }));
    const [found] = described.Stacks ?? [];
    if (found?.StackStatus !== 'CREATE_COMPLETE') return null;
    return found.Outputs?.[0]?.OutputValue ?? null;
  });
});
afterAll(async () => {
  await stacks.send(new DeleteStackCommand({ StackName: rulesStack }));
  server.close();
  stacks.destroy();
  queues.destroy();
});

type Shown = { readonly source: string; readonly 'detail-type': string; readonly detail: unknown };

async function cancelled(): Promise<string> {
  const { api, token } = await standing(stack);
  const { id } = await ask<{ id: string }>({ api, token }, '/v1/jobs', { power: 1 });
  const headers = { authorization: `Bearer ${token}` };
  expect((await fetch(`${api}/v1/jobs/${id}`, { method: 'DELETE', headers })).status).toBeLessThan(
    300,
  );
  return id;
}

test('a rule of a template brings an event to a queue, and starts a function with it', async () => {
  const job = await cancelled();
  const wanted = { source: 'edgewise', 'detail-type': 'job.cancelled' };
  const message = await until('the queue has it', async () => {
    const asked = new ReceiveMessageCommand({ QueueUrl: queue, WaitTimeSeconds: 1 });
    for (const { Body, ReceiptHandle } of (await queues.send(asked)).Messages ?? []) {
      await queues.send(new DeleteMessageCommand({ QueueUrl: queue, ReceiptHandle }));
      const event = JSON.parse(Body!) as Shown;
      if (JSON.stringify(event.detail).includes(job)) return event;
    }
    return null;
  });
  expect(message).toMatchObject(wanted);
  const body = await until(
    'the function was started',
    async () => received.find((each) => each.includes(job)) ?? null,
  );
  expect(JSON.parse(body)).toMatchObject(wanted);
});
