/** Laws that hold for every shadow document, not only for the ones that somebody thought of. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { equal, isObject, type Json, type JsonObject } from '../../../../services/iot/json.ts';
import { shadowTombstoneMs } from '../../../../services/iot/limits.ts';
import {
  delta,
  deltaMetadata,
  mergeSection,
  stamp,
} from '../../../../services/iot/shadow/document.ts';
import {
  apply,
  type ShadowOutcome,
  type StoredShadow,
} from '../../../../services/iot/shadow/service.ts';

const key = fc.constantFrom('a', 'b', 'c', '__proto__', 'timestamp');
const scalar = fc.oneof(
  fc.integer({ min: -9, max: 9 }),
  fc.boolean(),
  fc.constantFrom('x', 'y', ''),
);
/** Values as they may be stored: no null, few keys, so that patches meet what is there. */
const { object: plain } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.array(scalar, { maxLength: 3 }), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));
const { object: patch } = fc.letrec<{ value: Json; object: JsonObject }>((tie) => ({
  value: fc.oneof({ maxDepth: 3 }, scalar, fc.constant(null), fc.array(scalar), tie('object')),
  object: fc.dictionary(key, tie('value'), { maxKeys: 4, noNullPrototype: true }),
}));

const section = (value: JsonObject) => mergeSection(undefined, value, 1);
const merged = (base: JsonObject, change: JsonObject) =>
  mergeSection(section(base), change, 2)?.value ?? {};

/** Every leaf of the state has a time in the metadata at the same place, and nothing else has. */
function mirrors(value: Json, metadata: Json): boolean {
  if (Array.isArray(value)) {
    return (
      Array.isArray(metadata) &&
      value.length === metadata.length &&
      value.every((item, at) => mirrors(item as Json, metadata[at] as Json))
    );
  }
  if (!isObject(metadata)) return false;
  if (!isObject(value)) return typeof metadata['timestamp'] === 'number';
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(metadata).length &&
    keys.every((name) => Object.hasOwn(metadata, name) && mirrors(value[name]!, metadata[name]!))
  );
}

describe('merge', () => {
  test('the same patch twice is the same as once', () => {
    fc.assert(
      fc.property(plain, patch, (base, change) => {
        const once = merged(base, change);
        expect(merged(once, change)).toEqual(once);
      }),
    );
  });

  test('a patch of what is there changes nothing', () => {
    fc.assert(
      fc.property(plain, (base) => {
        expect(merged(base, base)).toEqual(section(base)?.value ?? {});
      }),
    );
  });

  test('fields that a patch does not name keep their value and their time', () => {
    fc.assert(
      fc.property(plain, patch, (base, change) => {
        const before = section(base);
        const after = mergeSection(before, change, 2);
        for (const name of Object.keys(base).filter((each) => !Object.hasOwn(change, each))) {
          expect(after?.value[name]).toEqual(before?.value[name]);
          expect(after?.metadata[name]).toEqual(before?.metadata[name]);
        }
      }),
    );
  });

  test('no null is ever stored, and no section is ever empty', () => {
    fc.assert(
      fc.property(plain, patch, (base, change) => {
        const after = mergeSection(section(base), change, 2);
        if (after === undefined) return;
        expect(Object.keys(after.value).length).toBeGreaterThan(0);
        expect(JSON.stringify(after.value)).not.toContain('null');
      }),
    );
  });

  test('metadata mirrors the state leaf by leaf', () => {
    fc.assert(
      fc.property(plain, fc.array(patch, { maxLength: 4 }), (base, changes) => {
        const last = changes.reduce(
          (current, change, at) => mergeSection(current, change, at + 2),
          section(base),
        );
        if (last !== undefined) expect(mirrors(last.value, last.metadata)).toBe(true);
      }),
    );
  });

  test('patches of different fields may come in any order', () => {
    fc.assert(
      fc.property(plain, patch, patch, (base, first, second) => {
        const own = Object.fromEntries(
          Object.entries(second).filter(([name]) => !Object.hasOwn(first, name)),
        );
        const forth = merged(merged(base, first), own);
        const back = merged(merged(base, own), first);
        expect(equal(forth, back)).toBe(true);
      }),
    );
  });
});

describe('delta', () => {
  test('is nothing exactly when reporting all of desired would change nothing', () => {
    fc.assert(
      fc.property(plain, plain, (desired, reported) => {
        const wanted = section(desired)?.value;
        const actual = section(reported)?.value;
        const difference = delta(wanted, actual);
        const caughtUp = merged(actual ?? {}, wanted ?? {});
        expect(difference === undefined).toBe(equal(caughtUp, actual ?? {}));
      }),
    );
  });

  test('an edge that applies it and reports has no difference any more', () => {
    fc.assert(
      fc.property(plain, plain, (desired, reported) => {
        const difference = delta(desired, reported);
        if (difference === undefined) return;
        const next = mergeSection(section(reported), difference, 2)?.value;
        expect(delta(desired, next)).toBeUndefined();
      }),
    );
  });

  test('its metadata is that of desired', () => {
    fc.assert(
      fc.property(plain, plain, (desired, reported) => {
        const difference = delta(desired, reported);
        if (difference === undefined) return;
        const metadata = deltaMetadata(difference, stamp(desired, 7) as JsonObject);
        expect(mirrors(difference, metadata)).toBe(true);
      }),
    );
  });
});

describe('versions', () => {
  type Step = 'update' | 'bad' | 'get' | 'delete';
  const run = (nowMs: number, stored: StoredShadow | undefined, step: Step): ShadowOutcome =>
    apply(nowMs, stored, {
      operation: step === 'bad' ? 'update' : step,
      thing: 't',
      payload: Buffer.from(
        step === 'update' ? '{"state":{"reported":{"a":1}}}' : step === 'bad' ? '{"state":1}' : '',
      ),
      source: 'mqtt',
    });

  test('only grow, by one for each accepted update and one for each deletion', () => {
    const steps = fc.array(fc.constantFrom<Step>('update', 'bad', 'get', 'delete'), {
      maxLength: 20,
    });
    fc.assert(
      fc.property(steps, (sequence) => {
        let stored: StoredShadow | undefined;
        let expected = 0;
        for (const step of sequence) {
          const outcome = run(1_000_000, stored, step);
          if (outcome.response.code === 200 && step === 'update') expected++;
          if (outcome.response.code === 200 && step === 'delete') expected++;
          stored = outcome.next;
          expect(stored?.version ?? 0).toBe(expected);
        }
      }),
    );
  });

  test('begin again when a shadow was deleted 48 hours ago, and not before', () => {
    const first = run(0, undefined, 'update').next;
    const deleted = run(1, first, 'delete').next;
    expect(run(shadowTombstoneMs, deleted, 'update').response.body['version']).toBe(3);
    expect(run(shadowTombstoneMs + 1, deleted, 'update').response.body['version']).toBe(1);
  });
});
