import { cellEdgesMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import type { EdgeEnrolments, EdgeIdentity, Enrolment } from '../../../core/ports/edges.ts';
import { deleteCredential, putEdgeCredential } from '../access/tokens-store.ts';
import { edgeFactsKey, edgeKey, pointerKey } from '../keys.ts';
import { edgeAttributes, encodeFacts } from '../rows/rows-edge.ts';
import { encodeCredentials, encodeIdentity } from '../rows/rows-identity.ts';
import type { Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { edgeRowKeys } from './edge-rows.ts';
import { countEdge } from './pools-store.ts';

const absent = { expression: 'attribute_not_exists(#pk)' };
const present = { expression: 'attribute_exists(#pk)' };

/** Each change is one transaction: an identity is never without the secrets that it names. */
export function createEdgeEnrolments(table: Table): EdgeEnrolments {
  return {
    async enrol(enrolment) {
      const outcome = await transactWithRetry(table, enrolmentWrites(enrolment));
      if (outcome.kind === 'committed') return 'enrolled';
      return outcome.failed.includes(0) ? 'taken' : 'full';
    },
    async addCredential(identity, hash) {
      const kept = identity.credentials.slice(-1);
      const dropped = identity.credentials.slice(0, -1);
      const next = { ...identity, credentials: [...kept, hash] };
      await transactWithRetry(table, [
        { kind: 'put', row: encodeIdentity(next) },
        putEdgeCredential(hash, identity.edge, identity.cell),
        ...dropped.map(deleteCredential),
      ]);
      return next;
    },
    async renew(seen, next) {
      const outcome = await transactWithRetry(table, renewalWrites(seen, next));
      return outcome.kind === 'committed';
    },
    async markRemoving({ edge }, nowMs) {
      await table.update(pointerKey(edge), { set: { removingSinceMs: nowMs } }, present);
    },
    async revoke({ credentials }) {
      await transactWithRetry(table, credentials.map(deleteCredential));
    },
    async forget(identity) {
      const { cell } = identity;
      const outcome = await transactWithRetry(table, removalWrites(identity));
      if (outcome.kind !== 'committed') return;
      await transactWithRetry(table, [countEdge(poolOfCell(cell), cell, -1, cellEdgesMax)]);
    },
  };
}

/** The pointer first, by whose condition a name that is taken is known. */
function enrolmentWrites({ identity, config, facts, allFacts }: Enrolment): Write[] {
  const { edge, cell } = identity;
  const settings = { ...edgeKey(cell, edge), ...edgeAttributes(config), version: 1 };
  return [
    { kind: 'put', row: encodeIdentity(identity), condition: absent },
    countEdge(poolOfCell(cell), cell, 1, cellEdgesMax),
    { kind: 'put', row: settings },
    { kind: 'put', row: encodeFacts(cell, edge, facts) },
    { kind: 'put', row: { ...edgeFactsKey(edge), facts: JSON.stringify(allFacts) } },
    ...identity.credentials.map((hash) => putEdgeCredential(hash, edge, cell)),
  ];
}

function renewalWrites(seen: EdgeIdentity, next: EdgeIdentity): Write[] {
  const ended = seen.credentials.filter((hash) => !next.credentials.includes(hash));
  const condition = {
    expression: '#credentials = :seen',
    values: { seen: encodeCredentials(seen.credentials) },
  };
  return [
    { kind: 'put', row: encodeIdentity(next), condition },
    ...next.credentials.map((hash) => putEdgeCredential(hash, next.edge, next.cell)),
    ...ended.map(deleteCredential),
  ];
}

/** All or nothing, so that whoever comes second finds nothing to count. */
function removalWrites({ edge, cell, credentials }: EdgeIdentity): Write[] {
  return [
    ...credentials.map(deleteCredential),
    ...edgeRowKeys(cell, edge).map((key): Write => ({ kind: 'delete', key })),
    { kind: 'delete', key: pointerKey(edge), condition: present },
  ];
}
