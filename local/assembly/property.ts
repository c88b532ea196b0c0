/**
 * Typed reading of resolved properties. A value of the wrong kind stops the start with its path,
 * and so does a nested key that nobody reads: what is silently skipped here would surprise after a
 * deployment.
 */
import { StartFailure } from '../failure.ts';
import type { Json, JsonObject } from './assembly.ts';

export type Reader = {
  readonly path: string;
  readonly raw: JsonObject;
  has(key: string): boolean;
  text(key: string): string;
  optionalText(key: string): string | undefined;
  optionalNumber(key: string): number | undefined;
  /** A whole number within AWS's bounds, both included. */
  optionalWhole(key: string, low: number, high: number): number | undefined;
  optionalFlag(key: string): boolean | undefined;
  object(key: string): Reader;
  optionalObject(key: string): Reader | undefined;
  /** A list of objects; empty when absent. */
  objects(key: string): Reader[];
  texts(key: string): string[];
  /** Refuses every key that is neither in `known` nor in `ignored`. */
  only(known: readonly string[], ignored?: Readonly<Record<string, string>>): Reader;
};

export function readerOf(value: Json, path: string): Reader {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new StartFailure(`${path} should be an object.`);
  }
  const raw: JsonObject = value;
  const wrong = (key: string, kind: string): never => {
    throw new StartFailure(`${path}.${key} should be ${kind}.`);
  };
  const list = (key: string): Json[] => {
    const item = raw[key] ?? [];
    return Array.isArray(item) ? item : wrong(key, 'a list');
  };
  const reader: Reader = {
    path,
    raw,
    has: (key) => raw[key] !== undefined,
    text: (key) => reader.optionalText(key) ?? wrong(key, 'a text'),
    optionalText: (key) => {
      const item = raw[key];
      if (item === undefined) return undefined;
      return typeof item === 'object' ? wrong(key, 'a text') : String(item);
    },
    optionalNumber: (key) => {
      if (raw[key] === undefined) return undefined;
      const number = Number(raw[key]);
      return Number.isFinite(number) ? number : wrong(key, 'a number');
    },
    optionalWhole: (key, low, high) => {
      const number = reader.optionalNumber(key);
      if (number === undefined) return undefined;
      const isWithin = Number.isInteger(number) && number >= low && number <= high;
      return isWithin ? number : wrong(key, `a whole number from ${low} to ${high}`);
    },
    optionalFlag: (key) => (raw[key] === undefined ? undefined : String(raw[key]) === 'true'),
    object: (key) => readerOf(raw[key] ?? null, `${path}.${key}`),
    optionalObject: (key) => (raw[key] === undefined ? undefined : reader.object(key)),
    objects: (key) => list(key).map((item, index) => readerOf(item, `${path}.${key}[${index}]`)),
    texts: (key) => list(key).map(String),
    only: (known, ignored = {}) => {
      for (const key of Object.keys(raw)) {
        if (!known.includes(key) && !(key in ignored)) {
          throw new StartFailure(`${path}.${key}: the local cloud does not run this property.`);
        }
      }
      return reader;
    },
  };
  return reader;
}
