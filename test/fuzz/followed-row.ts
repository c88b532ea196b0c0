import type { Key } from '../../adapters/dynamodb/keys.ts';
import type { Row, Table } from '../../adapters/dynamodb/table.ts';
import { parseBody } from '../../lambdas/event-handler.ts';

/** A table that knows whether anybody has looked at one attribute of one row. */
export type FollowedRow = {
  readonly table: Table;
  follow(key: Key, name: string): void;
  forget(): void;
  isRead(): boolean;
};

export function followRow(table: Table): FollowedRow {
  let followed: (Key & { readonly name: string }) | null = null;
  let isRead = false;
  const watched = <R extends Row | null>(row: R): R => {
    if (row === null || row.pk !== followed?.pk || row.sk !== followed.sk) return row;
    const get = (target: Record<string, unknown>, name: string) => {
      if (name === followed?.name) isRead = true;
      return target[name];
    };
    return new Proxy<Record<string, unknown>>(row, { get: get as never }) as R;
  };
  return {
    table: {
      ...table,
      get: async (key) => watched(await table.get(key)),
      getMany: async (keys) => (await table.getMany(keys)).map(watched),
      async query(request) {
        const page = await table.query(request);
        return { ...page, rows: page.rows.map(watched) };
      },
      queryAll: async (request) => (await table.queryAll(request)).map(watched),
    },
    follow({ pk, sk }, name) {
      followed = { pk, sk, name };
      isRead = false;
    },
    forget() {
      followed = null;
      isRead = false;
    },
    isRead: () => isRead,
  };
}

/**
 * Whether a value became one of another kind, which no reader may take for what it was. What is
 * missing or `null` is what an earlier version did not write.
 */
export function isOfAnotherKind(before: unknown, after: unknown): boolean {
  const [was, is] = [kindOf(before), kindOf(after)];
  return was !== 'nothing' && is !== 'nothing' && was !== is;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) return 'nothing';
  if (Array.isArray(value)) return 'list';
  if (typeof value !== 'string') return typeof value;
  const parsed = /^[[{]/.test(value) ? parseBody(value) : null;
  return typeof parsed === 'object' && parsed !== null ? 'json' : 'string';
}
