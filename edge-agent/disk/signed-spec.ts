import { isRecord } from '../../core/protocol/json.ts';
import { namesProblem, parseParameters, valueProblem } from '../../core/sweeps/parameters.ts';

/** What only a signed job brings, as hostile input. */

export function isSignature(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { key, value: signature, until = null } = value;
  const isUntil = until === null || typeof until === 'string';
  return typeof key === 'string' && typeof signature === 'string' && isUntil;
}

/** A list of parameters, or values that are combined: exactly one of the two. */
export function isWrittenSweep(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { items, matrix, ...others } = value;
  if (Object.keys(others).length > 0 || (items === undefined) === (matrix === undefined)) {
    return false;
  }
  if (matrix === undefined) {
    return Array.isArray(items) && items.every((item) => parseParameters(item) !== null);
  }
  if (!isRecord(matrix) || namesProblem(Object.keys(matrix)) !== null) return false;
  const isList = (list: unknown): boolean =>
    Array.isArray(list) && list.length > 0 && list.every((one) => valueProblem(one) === null);
  return Object.values(matrix).every(isList);
}
