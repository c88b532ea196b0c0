import { cellIdOf, type EdgeName } from '../../../core/model/names.ts';
import type { EdgeIdentity } from '../../../core/ports/edges.ts';
import { pointerKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { text, textOrNull, time, timeOrNull } from './row-values.ts';
import { isTime } from './shapes.ts';

/** `EDGE#<edge>/POINTER`: makes a name unique, and remembers the identity behind it. */
export function encodeIdentity(identity: EdgeIdentity): Row {
  const { edge, credentials, ...attributes } = identity;
  return { ...pointerKey(edge), ...attributes, credentials: encodeCredentials(credentials) };
}

/** As one text, so that a condition can compare all of them. */
export function encodeCredentials(credentials: EdgeIdentity['credentials']): string {
  return credentials.join(' ');
}

export function decodeIdentity(edge: EdgeName, row: Row): EdgeIdentity {
  return {
    edge,
    cell: cellIdOf(text(row.cell)),
    keyHash: textOrNull(row.keyHash),
    certificateId: textOrNull(row.certificateId),
    certificate: textOrNull(row.certificate),
    previousCertificateId: textOrNull(row.previousCertificateId),
    renewedAtMs: timeOrNull(row.renewedAtMs),
    credentials: text(row.credentials).split(' ').filter(Boolean),
    enrolledAtMs: time(row.enrolledAtMs),
    removingSinceMs: timeOrNull(row.removingSinceMs),
  };
}

/**
 * What a removal ends: the cell, the secrets and the certificates. It reads a row of which
 * something else is damaged; without one of these nobody can say that the edge is shut out.
 */
export function decodeRemains(edge: EdgeName, row: Row): EdgeIdentity {
  const { cell, certificateId, previousCertificateId, credentials } = row;
  const ended: Row = {
    ...pointerKey(edge),
    cell,
    certificateId,
    previousCertificateId,
    credentials,
  };
  const removingSinceMs = isTime(row.removingSinceMs) ? (row.removingSinceMs as number) : null;
  return { ...decodeIdentity(edge, ended), removingSinceMs };
}
