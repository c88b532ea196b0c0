/**
 * How often each operation of each service was asked for since the start: what a program costs,
 * counted by somebody else than itself. Bounded, because anybody with a key may invent names.
 */
import { callNamesMax } from '../../limits.ts';
import type { GatewayRequest } from './request.ts';

export type CallCounts = {
  count(service: string, request: GatewayRequest): void;
  /** It was answered that this cannot be done. */
  refused(service: string, request: GatewayRequest): void;
  /**
   * By service and operation, such as `dynamodb GetItem` or, where a path says it, `iot POST`. Of
   * transactions the rows, too: `dynamodb TransactWriteItems rows`.
   */
  shown(): Readonly<Record<string, number>>;
};

export function makeCallCounts(): CallCounts {
  const counts = new Map<string, number>();
  const add = (name: string, by: number) => {
    if (counts.has(name) || counts.size < callNamesMax) {
      counts.set(name, (counts.get(name) ?? 0) + by);
    }
  };
  return {
    count(service, request) {
      const name = nameOf(service, request);
      add(name, 1);
      if (request.target.endsWith('.TransactWriteItems')) add(`${name} rows`, rowsIn(request.body));
    },
    refused: (service, request) => add(`${nameOf(service, request)} refused`, 1),
    shown: () => Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function nameOf(service: string, { target, method, query }: GatewayRequest): string {
  const named = target.slice(target.lastIndexOf('.') + 1);
  return `${service} ${named || (query.get('Action') ?? method)}`;
}

/** Each row of a transaction names its table; that what is stored holds these letters is rare. */
function rowsIn(body: Buffer): number {
  let rows = 0;
  const mark = '"TableName"';
  for (let at = body.indexOf(mark); at >= 0; at = body.indexOf(mark, at + mark.length)) rows++;
  return rows;
}
