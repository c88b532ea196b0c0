/** What every operation of the control plane gets, and what several of them answer with. */

import type { Found } from '../../../engine/gateway/routes.ts';
import { invalid, ServiceError } from '../http/http-answer.ts';
import type { Journal } from '../journal.ts';
import type { JsonObject } from '../json.ts';
import type { PolicyBook } from '../policy/policy-book.ts';
import type { ResolvedTopicRule } from '../rules/rules.ts';
import type { Authority } from './authority.ts';
import type { Registry } from './registry.ts';

export type ControlDependencies = {
  readonly authority: Authority;
  readonly registry: Registry;
  readonly journal: Journal;
  readonly policies: PolicyBook;
  readonly rules: readonly ResolvedTopicRule[];
  readonly region: string;
  readonly accountId: string;
  readonly endpoint: () => string;
  /** Called after every change of what is registered or attached. */
  readonly changed: () => void;
  /** Closes the connections of a certificate that may no longer be used. */
  readonly certificateDisabled: (certificateId: string) => Promise<void>;
  readonly nowMs: () => number;
  readonly log: (line: string) => void;
};

export type ControlCall = Found & {
  readonly body: JsonObject;
  readonly principal: string | undefined;
};
export type ControlOperation = (call: ControlCall) => Promise<JsonObject> | JsonObject;

export const exists = (message: string): ServiceError =>
  new ServiceError(409, 'ResourceAlreadyExistsException', message);

export function pageOf(query: URLSearchParams): { after: string; size: number } {
  const size = Number(query.get('maxResults') ?? query.get('pageSize') ?? 25);
  if (!Number.isInteger(size) || size < 1 || size > 250)
    throw invalid('The page size is 1 to 250.');
  const token = query.get('nextToken') ?? query.get('marker') ?? '';
  return { after: Buffer.from(token, 'base64url').toString(), size };
}

export const nextToken = (last: string): string => Buffer.from(last).toString('base64url');
