import { isScope } from '../../core/caller.ts';
import type { Scope } from '../../core/wire/scopes.ts';
import { type Key, listIndexName, tokenKey, tokenListKey } from './keys.ts';
import { amount, amountOrNull, text, textOrNull } from './row-values.ts';
import type { Row, Table, Write } from './table.ts';

/**
 * Credentials by the SHA-256 of their secret; the secret itself is stored nowhere. Tokens of users
 * carry scopes; the credential of an edge carries its name and cell and nothing else.
 */
export type StoredToken = {
  readonly hash: string;
  readonly id: string;
  readonly name: string;
  readonly scopes: readonly Scope[];
  readonly pool: string | null;
  readonly queue: string | null;
  readonly edge: string | null;
  readonly usesLeft: number | null;
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly expiresAtMs: number | null;
};

export type Credential =
  | { readonly kind: 'token'; readonly token: StoredToken }
  | { readonly kind: 'edge'; readonly edge: string; readonly cell: string };

export type TokensStore = {
  find(hash: string): Promise<Credential | null>;
  create(token: StoredToken): Promise<void>;
  findById(id: string): Promise<StoredToken | null>;
  remove(token: StoredToken): Promise<void>;
  /** How many there are, counted up to `max`. */
  count(max: number): Promise<number>;
  list(afterId: string | null, limit: number): Promise<StoredToken[]>;
  /** Takes one use of an enrol token; `false` when none is left or it is gone. */
  spend(hash: string): Promise<boolean>;
};

const tokenIdKey = (id: string): Key => ({ pk: `TOKENID#${id}`, sk: 'POINTER' });

export function createTokensStore(table: Table): TokensStore {
  return {
    async find(hash) {
      const row = await table.get(tokenKey(hash));
      return row === null ? null : decodeCredential(row, hash);
    },
    async create(token) {
      const absent = { expression: 'attribute_not_exists(#pk)' };
      const outcome = await table.transact([
        { kind: 'put', row: encodeToken(token), condition: absent },
        {
          kind: 'put',
          row: { ...tokenIdKey(token.id), hash: token.hash, ...expiry(token) },
          condition: absent,
        },
      ]);
      if (outcome.kind !== 'committed') throw new Error(`token ${token.id} was not stored`);
    },
    async findById(id) {
      const pointer = await table.get(tokenIdKey(id));
      const hash = text(pointer?.hash);
      const row = pointer === null ? null : await table.get(tokenKey(hash));
      return row === null ? null : decodeToken(row, hash);
    },
    async remove(token) {
      await table.remove(tokenKey(token.hash));
      await table.remove(tokenIdKey(token.id));
    },
    async count(max) {
      const { listPk } = tokenListKey('');
      const page = await table.query({ pk: listPk, index: listIndexName, limit: max });
      return page.rows.length;
    },
    async list(afterId, limit) {
      const { listPk } = tokenListKey('');
      const last = afterId === null ? null : await table.get(tokenIdKey(afterId));
      const start =
        last === null ? null : { ...tokenKey(text(last.hash)), listPk, listSk: afterId };
      const page = await table.query({
        pk: listPk,
        index: listIndexName,
        limit,
        ...(start === null ? {} : { after: start }),
      });
      const rows = await table.getMany(page.rows);
      return rows
        .map((row) => decodeToken(row, hashOfKey(row)))
        .sort((a, b) => (a.id < b.id ? -1 : 1));
    },
    spend: (hash) =>
      table.update(
        tokenKey(hash),
        { add: { usesLeft: -1 } },
        { expression: '#usesLeft > :none', values: { none: 0 } },
      ),
  };
}

/** The credential of an edge, as a part of the transaction that enrols it. */
export function putEdgeCredential(hash: string, edge: string, cell: string): Write {
  return { kind: 'put', row: { ...tokenKey(hash), kind: 'edge', edge, cell } };
}

export function deleteCredential(hash: string): Write {
  return { kind: 'delete', key: tokenKey(hash) };
}

const hashOfKey = (row: Row): string => row.pk.slice('TOKEN#'.length);

function expiry(token: StoredToken): Record<string, number> {
  return token.expiresAtMs === null ? {} : { expiresAt: Math.ceil(token.expiresAtMs / 1_000) };
}

function encodeToken(token: StoredToken): Row {
  const { hash, ...attributes } = token;
  return {
    ...tokenKey(hash),
    kind: 'token',
    ...attributes,
    scopes: token.scopes.join(' '),
    ...expiry(token),
    ...tokenListKey(token.id),
  };
}

function decodeCredential(row: Row, hash: string): Credential {
  if (row.kind === 'edge') return { kind: 'edge', edge: text(row.edge), cell: text(row.cell) };
  return { kind: 'token', token: decodeToken(row, hash) };
}

function decodeToken(row: Row, hash: string): StoredToken {
  return {
    hash,
    id: text(row.id),
    name: text(row.name),
    scopes: text(row.scopes).split(' ').filter(isScope),
    pool: textOrNull(row.pool),
    queue: textOrNull(row.queue),
    edge: textOrNull(row.edge),
    usesLeft: amountOrNull(row.usesLeft),
    createdAtMs: amount(row.createdAtMs),
    createdBy: text(row.createdBy),
    expiresAtMs: amountOrNull(row.expiresAtMs),
  };
}
