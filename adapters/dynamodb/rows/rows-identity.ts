import { cellIdOf, type EdgeName } from '../../../core/model/names.ts';
import type { EdgeIdentity } from '../../../core/ports/edges.ts';
import { pointerKey } from '../keys.ts';
import type { Row } from '../table.ts';
import { amount, amountOrNull, text, textOrNull } from './row-values.ts';

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
    renewedAtMs: amountOrNull(row.renewedAtMs),
    credentials: text(row.credentials).split(' ').filter(Boolean),
    enrolledAtMs: amount(row.enrolledAtMs),
    removingSinceMs: amountOrNull(row.removingSinceMs),
  };
}
