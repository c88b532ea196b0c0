import { isScope } from '../../../core/model/caller.ts';
import { cellIdOf, edgeNameOf } from '../../../core/model/names.ts';
import type { Credential, StoredToken, TokensStore } from '../../../core/ports/tokens.ts';
import { hashOfPartition, tokenIdKey, tokenKey, tokenListKey } from '../keys.ts';
import { amount, amountOrNull, text, textOrNull } from '../rows/row-values.ts';
import { listIndex, lists } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';

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
      const page = await table.query({ pk: lists.tokens, index: listIndex.name, limit: max });
      return page.rows.length;
    },
    async list(afterId, limit) {
      const after = afterId === null ? {} : { after: await startBehind(table, afterId) };
      const page = await table.query({ pk: lists.tokens, index: listIndex.name, limit, ...after });
      const rows = await table.getMany(page.rows);
      return rows
        .map((row) => decodeToken(row, hashOfPartition(row.pk)))
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

/** A place in the list; of a token that was revoked in the meantime the hash is not known. */
async function startBehind(table: Table, id: string) {
  const pointer = await table.get(tokenIdKey(id));
  return { ...tokenKey(text(pointer?.hash)), ...tokenListKey(id) };
}

/** The credential of an edge, as a part of the transaction that enrols it. */
export function putEdgeCredential(hash: string, edge: string, cell: string): Write {
  return { kind: 'put', row: { ...tokenKey(hash), kind: 'edge', edge, cell } };
}

export function deleteCredential(hash: string): Write {
  return { kind: 'delete', key: tokenKey(hash) };
}

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
  if (row.kind === 'edge') {
    return { kind: 'edge', edge: edgeNameOf(text(row.edge)), cell: cellIdOf(text(row.cell)) };
  }
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
