import { cellEdgesMax } from '../../../core/model/limits.ts';
import { poolOfCell } from '../../../core/model/names.ts';
import type {
  EdgeEnrolments,
  EdgeIdentity,
  Enrolment,
  NewCluster,
} from '../../../core/ports/edges.ts';
import { deleteCredential, putEdgeCredential, tokenWrites } from '../access/tokens-store.ts';
import { edgeFactsKey, edgeKey, pointerKey } from '../keys.ts';
import { edgeAttributes, encodeFacts } from '../rows/rows-edge.ts';
import { encodeCredentials, encodeIdentity } from '../rows/rows-identity.ts';
import type { Condition, Table, Write } from '../table.ts';
import { transactWithRetry } from '../transact-with-retry.ts';
import { clusterWrites } from './cluster-store.ts';
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
      const outcome = await transactWithRetry(table, [
        { kind: 'put', row: encodeIdentity(next), condition: unchanged(identity) },
        putEdgeCredential(hash, identity.edge, identity.cell),
        ...dropped.map(deleteCredential),
      ]);
      return outcome.kind === 'committed' ? next : null;
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
    claimEnd: (identity, nowMs, untilMs) =>
      table.update(
        pointerKey(identity.edge),
        { set: { endingUntilMs: untilMs } },
        unclaimed(identity, nowMs, untilMs),
      ),
    async forget(identity) {
      const { cell } = identity;
      const outcome = await transactWithRetry(table, removalWrites(identity));
      if (outcome.kind !== 'committed') return;
      await transactWithRetry(table, [countEdge(poolOfCell(cell), cell, -1, cellEdgesMax)]);
    },
  };
}

/** The pointer first, by whose condition a name that is taken is known. */
function enrolmentWrites({ identity, config, facts, allFacts, cluster }: Enrolment): Write[] {
  const { edge, cell } = identity;
  const settings = { ...edgeKey(cell, edge), ...edgeAttributes(config), version: 1 };
  return [
    { kind: 'put', row: encodeIdentity(identity), condition: absent },
    countEdge(poolOfCell(cell), cell, 1, cellEdgesMax),
    { kind: 'put', row: settings },
    { kind: 'put', row: encodeFacts(cell, edge, facts) },
    { kind: 'put', row: { ...edgeFactsKey(edge), facts: JSON.stringify(allFacts) } },
    ...identity.credentials.map((hash) => putEdgeCredential(hash, edge, cell)),
    ...(cluster === undefined ? [] : newClusterWrites(cluster)),
  ];
}

/** What an edge of this name left behind is overwritten: its name was free. */
function newClusterWrites({ record, digest, submitToken }: NewCluster): Write[] {
  const always = { expression: 'attribute_exists(#pk) OR attribute_not_exists(#pk)' };
  return [...clusterWrites(record, digest, always), ...tokenWrites(submitToken)];
}

/** Its secrets are its own: an edge of the same name that came later has others. */
function unchanged({ credentials }: EdgeIdentity): Condition {
  const values = { seen: encodeCredentials(credentials) };
  return { expression: '#credentials = :seen', values };
}

/** Whatever else may stand there, nobody is at it. */
function unclaimed(identity: EdgeIdentity, now: number, until: number): Condition {
  const { expression, values } = unchanged(identity);
  const claimed = '#endingUntilMs >= :now AND #endingUntilMs <= :until';
  return { expression: `${expression} AND NOT (${claimed})`, values: { ...values, now, until } };
}

function renewalWrites(seen: EdgeIdentity, next: EdgeIdentity): Write[] {
  const ended = seen.credentials.filter((hash) => !next.credentials.includes(hash));
  return [
    { kind: 'put', row: encodeIdentity(next), condition: unchanged(seen) },
    ...next.credentials.map((hash) => putEdgeCredential(hash, next.edge, next.cell)),
    ...ended.map(deleteCredential),
  ];
}

/** All or nothing, so that whoever comes second finds nothing to count. */
function removalWrites(identity: EdgeIdentity): Write[] {
  const { edge, cell, credentials } = identity;
  return [
    ...credentials.map(deleteCredential),
    ...edgeRowKeys(cell, edge).map((key): Write => ({ kind: 'delete', key })),
    { kind: 'delete', key: pointerKey(edge), condition: unchanged(identity) },
  ];
}
