/**
 * What a template may contain: intrinsics, conditions, order, and the sentences for what is not
 * run.
 */
import { rmSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { Json, Template } from '../../assembly/assembly.ts';
import { conditionsOf } from '../../assembly/conditions.ts';
import { resolveValue, type Scope } from '../../assembly/intrinsics.ts';
import { creationOrder, dependenciesOf } from '../../assembly/resource-order.ts';
import { startNotes, type TemplateEdit } from '../notes-cloud.ts';
import { temporaryDir } from '../temporary-dir.ts';

const scope: Scope = {
  region: 'eu-west-1',
  stack: 'S',
  mappings: { Sizes: { small: { cores: 2 } } },
  parameter: (name) => (name === 'Name' ? 'value' : undefined),
  resource: (id) =>
    id === 'Table' ? { ref: 'table-1', attributes: { Arn: 'arn:table' } } : undefined,
  condition: (name) => name === 'Yes',
};

describe('intrinsics', () => {
  test.each<[string, Json, Json]>([
    ['Ref of a parameter', { Ref: 'Name' }, 'value'],
    ['Ref of a resource', { Ref: 'Table' }, 'table-1'],
    ['Ref of a pseudo parameter', { Ref: 'AWS::Region' }, 'eu-west-1'],
    ['GetAtt as a list', { 'Fn::GetAtt': ['Table', 'Arn'] }, 'arn:table'],
    ['GetAtt as a text', { 'Fn::GetAtt': 'Table.Arn' }, 'arn:table'],
    ['Join', { 'Fn::Join': ['-', ['a', { Ref: 'Name' }]] }, 'a-value'],
    [
      'Sub',
      { 'Fn::Sub': '${Name}/${Table.Arn}/${AWS::AccountId}/${!Kept}' },
      'value/arn:table/000000000000/${Kept}',
    ],
    ['Sub with values', { 'Fn::Sub': ['${X}-${Name}', { X: { Ref: 'Table' } }] }, 'table-1-value'],
    ['Select', { 'Fn::Select': ['1', ['a', 'b']] }, 'b'],
    ['Select of Split', { 'Fn::Select': [2, { 'Fn::Split': ['/', 'http://h/x'] }] }, 'h'],
    ['If', { 'Fn::If': ['Yes', 'a', 'b'] }, 'a'],
    [
      'If without a value',
      { list: ['x', { 'Fn::If': ['No', 'a', { Ref: 'AWS::NoValue' }] }] },
      { list: ['x'] },
    ],
    ['NoValue removes the property', { a: { Ref: 'AWS::NoValue' }, b: 1 }, { b: 1 }],
    ['FindInMap', { 'Fn::FindInMap': ['Sizes', 'small', 'cores'] }, 2],
    ['Base64', { 'Fn::Base64': 'hi' }, 'aGk='],
    ['plain objects', { a: [{ b: { Ref: 'Name' } }] }, { a: [{ b: 'value' }] }],
  ])('%s', (_name, value, expected) => {
    expect(resolveValue(value, scope, 'At')).toEqual(expected);
  });

  test.each<[Json, RegExp]>([
    [{ a: { 'Fn::ImportValue': 'x' } }, /^At\.a\.Fn::ImportValue: the local cloud does not know/],
    [{ Ref: 'Nobody' }, /^At\.Ref: there is no "Nobody"/],
    [{ 'Fn::GetAtt': ['Table', 'Colour'] }, /^At\.Fn::GetAtt: the attribute Colour of Table/],
    [['x', '{{resolve:ssm:a}}'], /^At\[1\]: dynamic references/],
    [{ 'Fn::Select': [5, ['a']] }, /^At\.Fn::Select: nothing at this index/],
  ])('%j stops with its path', (value, sentence) => {
    expect(() => resolveValue(value, scope, 'At')).toThrow(sentence);
  });
});

test('conditions may refer to each other', () => {
  const named = conditionsOf(
    {
      A: { 'Fn::Equals': [{ Ref: 'Name' }, 'value'] },
      B: { 'Fn::Not': [{ Condition: 'A' }] },
      C: {
        'Fn::Or': [{ Condition: 'B' }, { 'Fn::And': [{ Condition: 'A' }, { Condition: 'A' }] }],
      },
    },
    (value, path) => resolveValue(value, scope, path),
  );
  expect(['A', 'B', 'C'].map((name) => named(name, 'x'))).toEqual([true, false, true]);
});

test('resources are created after what they refer to', () => {
  const resource = (Properties: Record<string, Json>, DependsOn: string[] = []) => ({
    Type: 'T',
    Properties,
    DependsOn,
  });
  const template = {
    resources: {
      A: resource({ x: { 'Fn::Sub': '${B}-${C.Arn}' } }),
      B: resource({}, ['D']),
      C: resource({ y: { Ref: 'D' } }),
      D: resource({}),
    },
  } as unknown as Template;
  expect(creationOrder(template)).toEqual(['D', 'B', 'C', 'A']);
});

test('resources are created as early as they may be, wherever they stand', () => {
  const resource = (...DependsOn: string[]) => ({ Type: 'T', Properties: {}, DependsOn });
  const resources = { Deep: resource('Middle'), Middle: resource('First'), First: resource() };
  const template = { resources: { ...resources, Alone: resource() } } as unknown as Template;
  expect(creationOrder(template)).toEqual(['First', 'Alone', 'Middle', 'Deep']);
  expect(dependenciesOf(template, 'Deep')).toEqual(new Set(['Middle', 'First']));
});

async function refusal(edit: TemplateEdit): Promise<string> {
  const stateDir = temporaryDir();
  try {
    const cloud = await startNotes({ stateDir, edit });
    await cloud.stop();
    return 'it started';
  } catch (error) {
    return (error as Error).message;
  } finally {
    rmSync(stateDir, { recursive: true });
  }
}

describe('a start stops with the path of', () => {
  test('unknown types and properties, all at once', async () => {
    const message = await refusal((resources) => {
      Object.assign(resources, { Strange: { Type: 'AWS::Strange::Thing', Properties: {} } });
      // Left out by its condition, so nobody has to run it.
      const Left = { Type: 'AWS::Strange::Other', Condition: 'Never', Properties: {} };
      Object.assign(resources, { Left });
      resources['Queue']!.Properties['Colour'] = 'red';
    });
    expect(message.split('\n')).toEqual([
      'Resources.Queue.Properties.Colour: ' +
        'the local cloud does not run this property of AWS::SQS::Queue.',
      'Resources.Strange: the local cloud does not run the type AWS::Strange::Thing.',
    ]);
  });

  test('a filter that AWS would refuse', async () => {
    const message = await refusal((resources) => {
      const Filters = [{ Pattern: '{"a":[{"near":1}]}' }];
      resources['NoteStream']!.Properties['FilterCriteria'] = { Filters };
    });
    expect(message).toMatch(
      /^Resources\.NoteStream\.Properties\.FilterCriteria\.Filters\[0\]\.Pattern\.a\[0\]\.near/,
    );
  });

  test('a role that cannot read its event source', async () => {
    const message = await refusal((resources) => {
      const document = resources['OnNotePolicy']!.Properties['PolicyDocument'];
      (document as { Statement: unknown[] }).Statement.shift();
    });
    expect(message).toMatch(
      /^Resources\.NoteStream\.Properties: the role of Notes-OnNote-\w+ cannot/,
    );
    expect(message).toContain('dynamodb:GetRecords');
  });

  test('a condition on a key that requests do not have here', async () => {
    const message = await refusal((resources) => {
      const document = resources['ProbePolicy']!.Properties['PolicyDocument'];
      const [statement] = (document as { Statement: Record<string, unknown>[] }).Statement;
      statement!['Condition'] = { StringEquals: { 'dynamodb:Attributes': 'x' } };
    });
    expect(message).toBe(
      'Resources.ProbePolicy.Properties.PolicyDocument.Statement[0].Condition: ' +
        'the local cloud does not know the condition key dynamodb:attributes.',
    );
  });
});

describe('a start stops, and names', () => {
  test('a route whose function the API may not invoke', async () => {
    const message = await refusal((resources) => {
      delete resources['ApiMayInvoke'];
    });
    expect(message).toMatch(
      /apigateway\.amazonaws\.com may not invoke the function Notes-NotesApi/,
    );
  });

  test('a property with a wrong kind of value', async () => {
    const message = await refusal((resources) => {
      resources['NoteStream']!.Properties['BatchSize'] = 'many';
    });
    expect(message).toBe('Resources.NoteStream.Properties.BatchSize should be a number.');
  });

  test.each<[resource: string, properties: Record<string, unknown>, sentence: RegExp]>([
    ['Probe', { Timeout: 901 }, /^Resources\.Probe\.Properties\.Timeout should be .* 1 to 900/],
    ['Probe', { MemorySize: 64 }, /MemorySize should be .* from 128 to 10240/],
    ['Probe', { Environment: { Variables: { AWS_REGION: 'x' } } }, /AWS_REGION is set by Lambda/],
    ['Probe', { Environment: { Variables: { A: 'x' } } }, /Variables\.A is no name/],
    ['Probe', { Environment: { Variables: { BIG: 'x'.repeat(4_096) } } }, /at most 4096/],
    ['Queue', { VisibilityTimeout: 43_201 }, /VisibilityTimeout should be .* 0 to 43200/],
    ['Queue', { QueueName: 'a.fifo' }, /a queue is FIFO exactly when its name ends in \.fifo/],
    ['Queue', { RedrivePolicy: redrive('nowhere', 2) }, /there is no such queue/],
    ['Queue', { RedrivePolicy: redrive('nowhere', 0) }, /maxReceiveCount should be .* from 1/],
    ['QueueReader', { BatchSize: 11 }, /MaximumBatchingWindowInSeconds has to be at least 1/],
    ['Queue', { VisibilityTimeout: 2 }, /less than the function's timeout/],
  ])('what AWS refuses: %s %j', async (name, properties, sentence) => {
    const message = await refusal((resources) => {
      Object.assign(resources[name]!.Properties, properties);
    });
    expect(message).toMatch(sentence);
  });

  test('settings of a route for which the stage does not wait', async () => {
    const message = await refusal((resources) => {
      Object.assign(resources['Stage']!, { DependsOn: ['Route1'] });
    });
    expect(message).toMatch(/^Resources\.Stage\.Properties\.RouteSettings\.GET \/limited: /);
    expect(message).toContain(
      '404 "Unable to find Route by key GET /limited within the provided RouteSettings"',
    );
    expect(message).toContain('DependsOn');
  });

  test('settings of a route that is not there', async () => {
    const message = await refusal((resources) => {
      const settings = resources['Stage']!.Properties['RouteSettings'] as Record<string, unknown>;
      settings['GET /nowhere'] = {};
    });
    expect(message).toContain('Unable to find Route by key GET /nowhere within');
  });

  test('a dependency that is not there', async () => {
    const message = await refusal((resources) => {
      Object.assign(resources['Queue']!, { DependsOn: 'Nobody' });
    });
    expect(message).toBe('Resources.Queue.DependsOn: there is no resource Nobody.');
  });
});

function redrive(name: string, maxReceiveCount: number): Record<string, unknown> {
  return { deadLetterTargetArn: `arn:aws:sqs:eu-west-1:000000000000:${name}`, maxReceiveCount };
}
