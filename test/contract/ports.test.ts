import { expect, test } from 'vitest';
import { sourceFiles } from '../source-files.ts';

/** Each port of `core/ports/` is kept to a contract, by every implementation that there is. */
const sources = sourceFiles();
const textOf = (path: string) => sources.find((file) => file.path === path)?.text ?? '';

const ports = sources.filter(({ path }) => path.startsWith('core/ports/'));
const declaration = /^export type (\w+) =([^;{]*)(?:\{\n([\s\S]*?)^\}|\{(.*)\})?;$/gm;

/** Types that can do something, and those that are made of such. */
function portsIn(text: string): [name: string, parts: string[]][] {
  const types = [...text.matchAll(declaration)].map(([, name = '', parts = '', body, line]) => ({
    name,
    parts: parts.match(/\b[A-Z]\w*/g) ?? [],
    acts: /^ *\w+\(/m.test(body ?? line ?? ''),
  }));
  const acting = new Set(types.filter(({ acts }) => acts).map(({ name }) => name));
  return types
    .filter(({ name, parts }) => acting.has(name) || parts.some((part) => acting.has(part)))
    .map(({ name, parts }) => [name, parts]);
}

const all = new Map(ports.flatMap(({ text }) => portsIn(text)));

/** What contracts are given, with all its parts. */
const given = ['test/contract/stored-ports.ts', 'test/contract/services.ts']
  .flatMap((path) => textOf(path).match(/\b[A-Z]\w*(?=[;\s])/g) ?? [])
  .flatMap(function withParts(name): string[] {
    return [name, ...(all.get(name) ?? []).flatMap(withParts)];
  });

const others: Readonly<Record<string, string>> = {
  Clock: 'a number: there is nothing to promise of it',
  EventBus: 'one keeps it, with its requests looked at in `test/adapters/events/`',
  EventWakes: 'a message that may be lost: the minute finds what it was about',
  People: 'one keeps it, asked with an issuer beside it in `test/adapters/oidc/`',
  Randomness: 'bytes: there is nothing to promise of them',
  PoolCellsReader: 'made of `Pools`, in whose contract it is looked at on every store',
};

test('every port has a contract, or a reason why not', () => {
  const missing = [...all.keys()].filter((name) => !given.includes(name));
  expect(missing.sort()).toEqual(Object.keys(others).sort());
  expect(all.size).toBeGreaterThan(20);
});

test('every contract is run', () => {
  const contracts = sources.flatMap(({ path, text }) =>
    path.startsWith('test/contract/')
      ? [...text.matchAll(/^export const (\w+Contract): (?:Services)?Contract\b/gm)]
      : [],
  );
  const names = contracts.map(([, name = '']) => name);
  const runs = ['test/contract/store-contracts.ts', 'test/contract/service-contracts.ts'].map(
    textOf,
  );
  const isRun = (name: string) => runs.some((text) => new RegExp(`: ${name},`).test(text));
  expect(names.filter((name) => !isRun(name))).toEqual([]);
  expect(names.length).toBeGreaterThan(15);
});

test('a port without a contract is seen', () => {
  const text = 'export type A = {\n  /** It. */\n  do(it: X): Promise<void>;\n};\n';
  const values = 'export type B = {\n  readonly it: string;\n};\n';
  expect(portsIn(`${text}${values}export type C = A & D;\n`)).toEqual([
    ['A', []],
    ['C', ['A', 'D']],
  ]);
});
