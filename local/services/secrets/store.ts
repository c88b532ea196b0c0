/**
 * Secrets: each is generated once and then kept. The value never leaves the state directory except
 * as the answer to a permitted GetSecretValue.
 */
import { randomInt } from 'node:crypto';
import { type Account, arnOf, stableToken } from '../../account.ts';
import type { Reader } from '../../assembly/property.ts';
import type { StateStore } from '../../engine/state-store.ts';

export type Secret = {
  readonly arn: string;
  readonly name: string;
  readonly value: string;
  readonly versionId: string;
  readonly createdAtMs: number;
  /** What the value before the current one was. */
  readonly previous?: { readonly value: string; readonly versionId: string };
};

export type SecretStore = {
  /** The ARN of the secret with this name; makes it when it does not exist yet. */
  ensure(name: string, wanted: { value: string | undefined; generate: Reader | undefined }): string;
  /** By ARN, by ARN without its random end, or by name. */
  find(id: string): Secret | undefined;
  /** `versionId`: the client's own, when it gave one. */
  put(secret: Secret, value: string, versionId: string | undefined): Secret;
  list(): Secret[];
};

export function secretStore(account: Account, store: StateStore): SecretStore {
  const read = (): Secret[] => store.list('secret').map(({ value }) => JSON.parse(value) as Secret);
  const write = (secret: Secret): Secret => {
    store.put('secret', secret.name, JSON.stringify(secret));
    return secret;
  };
  const named = (name: string): Secret | undefined => {
    const text = store.get('secret', name);
    return text === undefined ? undefined : (JSON.parse(text) as Secret);
  };
  return {
    ensure: (name, wanted) => {
      const existing = named(name);
      if (existing !== undefined) {
        const changed = wanted.value !== undefined && wanted.value !== existing.value;
        return changed ? write({ ...existing, value: wanted.value ?? '' }).arn : existing.arn;
      }
      const arn = arnOf(
        account,
        'secretsmanager',
        `secret:${name}-${stableToken(name, 6).toLowerCase()}`,
      );
      const value = wanted.value ?? generateSecret(wanted.generate);
      return write({ arn, name, value, versionId: versionId(), createdAtMs: Date.now() }).arn;
    },
    find: (id) =>
      named(id) ?? read().find((secret) => secret.arn === id || secret.arn.slice(0, -7) === id),
    put: (secret, value, given) => {
      const previous = { value: secret.value, versionId: secret.versionId };
      return write({ ...secret, value, versionId: given ?? versionId(), previous });
    },
    list: read,
  };
}

function versionId(): string {
  return crypto.randomUUID();
}

const kinds = {
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ',
  lower: 'abcdefghijklmnopqrstuvwxyz',
  digit: '0123456789',
  sign: '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~',
} as const;

/** `GenerateSecretString` as CloudFormation documents it. */
function generateSecret(options: Reader | undefined): string {
  const flag = (key: string): boolean => options?.optionalFlag(key) ?? false;
  const excluded = new Set(options?.optionalText('ExcludeCharacters') ?? '');
  const alphabets = [
    flag('ExcludeUppercase') ? '' : kinds.upper,
    flag('ExcludeLowercase') ? '' : kinds.lower,
    flag('ExcludeNumbers') ? '' : kinds.digit,
    flag('ExcludePunctuation') ? '' : kinds.sign,
  ]
    .map((alphabet) => [...alphabet].filter((character) => !excluded.has(character)).join(''))
    .filter((alphabet) => alphabet !== '');
  const all = alphabets.join('') + (flag('IncludeSpace') ? ' ' : '');
  const length = options?.optionalNumber('PasswordLength') ?? 32;
  const pick = (alphabet: string): string => alphabet[randomInt(alphabet.length)] ?? '';
  const needsEach = options?.optionalFlag('RequireEachIncludedType') ?? true;
  const characters = needsEach ? alphabets.map(pick) : [];
  while (characters.length < length) {
    characters.splice(randomInt(characters.length + 1), 0, pick(all));
  }
  const password = characters.slice(0, length).join('');
  const template = options?.optionalText('SecretStringTemplate');
  const key = options?.optionalText('GenerateStringKey');
  if (template === undefined || key === undefined) return password;
  return JSON.stringify({ ...(JSON.parse(template) as object), [key]: password });
}
