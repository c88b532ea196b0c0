import type { Scope } from '../contract/scopes.ts';
import type { CellId, EdgeName } from '../model/names.ts';

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
  /** The clusters that it submits to and nothing else. */
  readonly edges: readonly EdgeName[] | null;
  /** `null`: as often as its holder likes. */
  readonly usesLeft: number | null;
  readonly createdAtMs: number;
  readonly createdBy: string;
  readonly expiresAtMs: number | null;
};

export type Credential =
  | { readonly kind: 'token'; readonly token: StoredToken }
  | { readonly kind: 'edge'; readonly edge: EdgeName; readonly cell: CellId };

export type TokensStore = {
  /** Also one that has expired: its expiry is the reader's to judge. */
  find(hash: string): Promise<Credential | null>;
  create(token: StoredToken): Promise<void>;
  findById(id: string): Promise<StoredToken | null>;
  remove(token: StoredToken): Promise<void>;
  /** How many there are, counted up to `max`. */
  count(max: number): Promise<number>;
  /** A page of tokens by id, from just behind `afterId`. */
  list(afterId: string | null, limit: number): Promise<readonly StoredToken[]>;
  /** Takes one use of an enrol token; `false` when none is left or it is gone. */
  spend(hash: string): Promise<boolean>;
};

/** The stack's first token, which no table holds. */
export type AdminToken = { read(nowMs: number): Promise<string | null> };
