import { isScope } from '../../../core/model/caller.ts';
import { cellIdOf, type EdgeName, edgeNameOf } from '../../../core/model/names.ts';
import type { Credential, StoredToken, TokensStore } from '../../../core/ports/tokens.ts';
import { hashOfPartition, tokenIdKey, tokenKey, tokenListKey } from '../keys.ts';
import { amountOrNull, text, textOrNull, time, timeOrNull } from '../rows/row-values.ts';
import { readableOrReported } from '../rows/unreadable-row.ts';
import { listIndex, lists } from '../schema.ts';
import type { Row, Table, Write } from '../table.ts';

export function createTokensStore(table: Table): TokensStore {
  return {
    async find(hash) {
      const row = await table.get(tokenKey(hash));
      return row === null
        ? null
        : readableOrReported(table, row, (it) => decodeCredential(it, hash));
    },
    async create(token) {
      const outcome = await table.transact(tokenWrites(token));
      if (outcome.kind !== 'committed') throw new Error(`token ${token.id} was not stored`);
    },
    async findById(id) {
      const pointer = await table.get(tokenIdKey(id));
      const hash = text(pointer?.hash);
      const row = pointer === null ? null : await table.get(tokenKey(hash));
      return row === null ? null : shownToken(table, row, hash, id);
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
        .map((row) => shownToken(table, row, hashOfPartition(row.pk), String(row.listSk)))
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

/** A new token, as a transaction or a part of one. */
export function tokenWrites(token: StoredToken): Write[] {
  const condition = { expression: 'attribute_not_exists(#pk)' };
  const pointer = { ...tokenIdKey(token.id), hash: token.hash, ...expiry(token) };
  return [
    { kind: 'put', row: encodeToken(token), condition },
    { kind: 'put', row: pointer, condition },
  ];
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
    edges: token.edges?.join(' ') ?? null,
    ...expiry(token),
    ...tokenListKey(token.id),
  };
}

function decodeCredential(row: Row, hash: string): Credential {
  if (row.kind === 'edge') {
    return { kind: 'edge', edge: edgeNameOf(text(row.edge)), cell: cellIdOf(text(row.cell)) };
  }
  if (row.kind !== 'token') throw new Error('a credential of an unknown kind opens nothing');
  return { kind: 'token', token: decodeToken(row, hash) };
}

/** A token that cannot be read opens nothing; it is listed, so that somebody can revoke it. */
function shownToken(table: Table, row: Row, hash: string, id: string): StoredToken {
  return readableOrReported(table, row, (it) => decodeToken(it, hash)) ?? unreadableToken(hash, id);
}

function unreadableToken(hash: string, id: string): StoredToken {
  return {
    hash,
    id,
    name: 'its row cannot be read',
    scopes: [],
    pool: null,
    queue: null,
    edge: null,
    edges: [],
    usesLeft: 0,
    createdAtMs: 0,
    createdBy: '',
    expiresAtMs: null,
  };
}

/** No limit is a value of its own: a row that lost the attribute would open everything. */
function stated(value: unknown): unknown {
  if (value === undefined) throw new Error('a token does not say what it is limited to');
  return value;
}

/** Earlier versions bound no token to edges and wrote nothing; an empty list opens none. */
function boundEdges(value: unknown): readonly EdgeName[] | null {
  const names = textOrNull(value);
  return names === null ? null : names.split(' ').filter(Boolean).map(edgeNameOf);
}

function decodeToken(row: Row, hash: string): StoredToken {
  return {
    hash,
    id: text(row.id),
    name: text(row.name),
    scopes: text(row.scopes).split(' ').filter(isScope),
    pool: textOrNull(stated(row.pool)),
    queue: textOrNull(stated(row.queue)),
    edge: textOrNull(stated(row.edge)),
    edges: boundEdges(row.edges),
    usesLeft: amountOrNull(stated(row.usesLeft)),
    createdAtMs: time(row.createdAtMs),
    createdBy: text(row.createdBy),
    expiresAtMs: timeOrNull(stated(row.expiresAtMs)),
  };
}
