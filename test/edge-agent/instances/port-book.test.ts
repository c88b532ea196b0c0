import { expect, test } from 'vitest';
import { jobIdOf } from '../../../core/model/names.ts';
import type { ServicePort } from '../../../core/services/service-port.ts';
import { givenPortMax, givenPortMin } from '../../../edge-agent/instances/limits.ts';
import {
  isListed,
  openPortBook,
  portEnvironment,
} from '../../../edge-agent/instances/port-book.ts';

const port = (name: string, more: Partial<ServicePort> = {}): ServicePort => {
  return { name, target: null, port: null, protocol: 'tcp', ...more };
};
const instance = (chunk: number) => ({ edge: 'edge-1', job: jobIdOf('web'), chunk, attempt: 1 });

function stage(taken: readonly number[] = [], begin = 0, notes = new Map<string, string>()) {
  const book = openPortBook({
    notes: {
      all: () => notes,
      put: (key, value) => void notes.set(key, value),
      remove: (key) => void notes.delete(key),
    },
    isTaken: (number) => taken.includes(number),
    begin,
  });
  return { book, notes };
}

test('each instance gets ports of its own, free ones and those it asks for', () => {
  const { book } = stage([givenPortMin]);
  const wanted = [port('http'), port('admin', { port: 8_080 })];
  expect([...(book.give(instance(0), wanted) as Map<string, number>)]).toEqual([
    ['http', givenPortMin + 1],
    ['admin', 8_080],
  ]);
  expect(book.give(instance(1), wanted)).toBe('port 8080 is taken');
  expect(book.give(instance(1), [port('http')])).toEqual(new Map([['http', givenPortMin + 3]]));
  book.giveBack(instance(0));
  expect(book.of(instance(0)).size).toBe(0);
  expect(book.give(instance(2), wanted)).toEqual(
    new Map([
      ['http', givenPortMin + 4],
      ['admin', 8_080],
    ]),
  );
});

test('the search begins anywhere and goes round once', () => {
  const taken = [...Array(givenPortMax - givenPortMin).keys()].map((at) => givenPortMin + 1 + at);
  const { book } = stage(taken, 0.999);
  expect(book.give(instance(0), [port('http')])).toEqual(new Map([['http', givenPortMin]]));
  expect(book.give(instance(1), [port('http')])).toBe('no port is free');
});

test('what was given is known to the next agent, as far as it is still used', () => {
  const { book, notes } = stage();
  const first = book.give(instance(0), [port('http')]);
  book.give(instance(1), [port('http')]);
  notes.set('edge-1/web/9/1', 'damaged');
  const next = stage([], 0, notes).book;
  next.keepOnly([instance(0)]);
  expect(next.of(instance(0))).toEqual(first);
  expect([...notes.keys()]).toEqual(['edge-1/web/0/1']);
  expect(next.give(instance(2), [port('http', { port: givenPortMin })])).toBe(
    `port ${givenPortMin} is taken`,
  );
});

test('an instance finds them in its environment', () => {
  const given = new Map([['web-ui', 45_000]]);
  expect(portEnvironment(given)).toEqual({ EDGEWISE_PORT_WEB_UI: '45000' });
});

test('who listens is read from the table of the host', () => {
  const table = `  sl  local_address rem_address   st
   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000
   1: 00000000000000000000000000000000:0050 00000000:0000 0A
   2: 0100007F:AFC8 0100007F:1F90 06 00000000:00000000`;
  expect([8_080, 80, 45_000, 8_081].map((number) => isListed(table, number))).toEqual([
    true,
    true,
    false,
    false,
  ]);
});
