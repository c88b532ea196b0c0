import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { makeEmptyRemover } from '../../../edge-agent/chunk-directory/empty-remover.ts';
import { makeDirectory } from '../agent-runner.ts';

let place: { path: string; remove: () => void };
let handedOn: string[];

beforeEach(() => {
  place = makeDirectory();
  handedOn = [];
});

afterEach(() => place.remove());

const makeRemover = () => makeEmptyRemover({ remove: (path) => handedOn.push(path) });

function make(name: string): string {
  const path = join(place.path, name);
  for (const part of ['input', 'output']) mkdirSync(join(path, part), { recursive: true });
  return path;
}

test('directories of chunks that left nothing are gone when it has settled', async () => {
  const remover = makeRemover();
  for (let at = 0; at < 50; at++) remover.remove(make(`chunk-${at}`));
  await remover.settled();
  expect(readdirSync(place.path)).toEqual([]);
  expect(handedOn).toEqual([]);
  await remover.settled();
});

test('what a chunk left, or put in the place of a directory, is for another to remove', async () => {
  const elsewhere = make('elsewhere');
  const [filled, linked] = [make('filled'), make('linked')];
  writeFileSync(join(filled, 'output', 'result'), 'kept');
  symlinkSync(elsewhere, join(linked, 'link'));
  const remover = makeRemover();
  for (const path of [filled, linked, join(linked, 'link')]) remover.remove(path);
  await remover.settled();
  expect(handedOn.sort()).toEqual([filled, linked, join(linked, 'link')].sort());
  expect(existsSync(join(filled, 'output', 'result'))).toBe(true);
  expect(existsSync(elsewhere)).toBe(true);
});

test('more than may wait are removed at once', async () => {
  const remover = makeEmptyRemover({ remove: (path) => handedOn.push(path) }, 10);
  const paths = Array.from({ length: 30 }, (_, at) => make(`chunk-${at}`));
  for (const path of paths) remover.remove(path);
  expect(existsSync(paths.at(-1)!)).toBe(false);
  await remover.settled();
  expect(readdirSync(place.path)).toEqual([]);
});
