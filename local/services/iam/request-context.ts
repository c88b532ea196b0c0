/** What is known of a request besides action and resource, for the conditions of policies. */
import { accountId } from '../../account.ts';
import type { Json } from '../../assembly/assembly.ts';
import { StartFailure } from '../../failure.ts';
import { parsePolicy, type Statement } from './policy.ts';

/** Condition keys that a request has here. A condition on another one would quietly never hold. */
const knownKeys = new Set([
  'aws:securetransport',
  'aws:principalarn',
  'aws:principalaccount',
  'aws:sourcearn',
  'aws:sourceaccount',
  'aws:currenttime',
  'aws:epochtime',
  'aws:principaltype',
  'aws:resourceaccount',
  'aws:sourceip',
  'aws:viaawsservice',
  'dynamodb:leadingkeys',
  's3:prefix',
  's3:resourceaccount',
]);

export function parseKnown(document: Json, path: string): Statement[] {
  const statements = parsePolicy(document, path);
  for (const statement of statements) {
    const key = statement.conditionKeys.find((name) => !knownKeys.has(name));
    if (key !== undefined) {
      throw new StartFailure(
        `${statement.path}.Condition: the local cloud does not know the condition key ${key}.`,
      );
    }
  }
  return statements;
}

/** The loopback interface stands for the TLS connection that AWS would see. */
export function baseContext(who: string): Record<string, string> {
  return {
    'aws:securetransport': 'true',
    'aws:principalarn': who,
    'aws:principalaccount': accountId,
    'aws:sourceaccount': accountId,
    'aws:currenttime': new Date().toISOString(),
    'aws:epochtime': String(Math.floor(Date.now() / 1000)),
    'aws:principaltype': 'AssumedRole',
    'aws:resourceaccount': accountId,
    'aws:sourceip': '127.0.0.1',
    'aws:viaawsservice': 'false',
    's3:resourceaccount': accountId,
  };
}
