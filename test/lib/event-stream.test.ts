import { afterAll, expect, test } from 'vitest';
import { idempotencyKey } from '../../adapters/dynamodb/keys.ts';
import { placesBegin } from '../../adapters/dynamodb/schema.ts';
import { ownsPlaces } from '../../core/ports/idempotency.ts';
import { removeOutputs, resourcesOf, synthesized } from './synthesized.ts';

afterAll(removeOutputs);

type Statement = { Action: string | string[]; Condition?: unknown };

test('what streams may write nothing but which subscriptions are open', () => {
  const policies = [...resourcesOf(synthesized().template, 'AWS::IAM::Policy')];
  const own = policies.filter(([name]) => /EventStream|Stream/.test(name));
  const writing = own.flatMap(([, { Properties }]) =>
    (Properties.PolicyDocument as { Statement: Statement[] }).Statement.filter(({ Action }) =>
      /dynamodb:(Put|Update|Delete|BatchWrite)/.test(`${Action}`),
    ),
  );
  expect(writing).toMatchObject([
    {
      Action: ['dynamodb:DeleteItem', 'dynamodb:PutItem'],
      Condition: { 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': `${placesBegin}*` } },
    },
  ]);
  expect(idempotencyKey(`${ownsPlaces}token:1`, '1').pk.startsWith(placesBegin)).toBe(true);
});
