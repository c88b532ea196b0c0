/** A distribution: pages from a bucket and the API under one address. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type NotesCloud, notesDir, startNotes } from '../../notes-cloud.ts';

let cloud: NotesCloud;

beforeAll(async () => {
  cloud = await startNotes({ files: { PagesBucket: join(notesDir, 'pages') } });
});

afterAll(async () => {
  await cloud.stop();
});

function get(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${cloud.output('SiteUrl')}${path}`, init);
}

test('the address of the output is one of this machine', () => {
  expect(cloud.output('SiteUrl')).toBe(`http://127.0.0.1:${cloud.portBase + 4}`);
});

test.each(['/', '/index.html', '/some/page'])(
  '%s is the page, with the headers of its policy',
  async (path) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('<title>Notes</title>');
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(response.headers.get('x-notes')).toBe('yes');
    expect(response.headers.get('x-frame-options')).toBe('DENY');
  },
);

test('a file is served as what it is', async () => {
  const response = await get('/assets/notes.js');
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
});

test('a missing file is refused, as to every reader that may not list the bucket', async () => {
  expect((await get('/assets/nothing.js')).status).toBe(403);
});

test('a viewer function may answer itself', async () => {
  expect(await (await get('/hello?name=you')).text()).toBe('hello you');
});

test('the API answers under the same address', async () => {
  const response = await get('/notes', {
    method: 'POST',
    headers: { authorization: 'friend', 'content-type': 'application/json' },
    body: JSON.stringify({ id: 'site', text: 'from the site' }),
  });
  expect(response.status).toBe(201);
  const read = await get('/notes/site', { headers: { authorization: 'friend' } });
  expect(await read.json()).toEqual({ text: 'from the site' });
});

test('a method that the behavior does not take is refused', async () => {
  expect((await get('/', { method: 'POST' })).status).toBe(403);
});

test('without a statement in the bucket’s policy nothing is served', async () => {
  const closed = await startNotes({
    files: { PagesBucket: join(notesDir, 'pages') },
    edit: (resources) => {
      delete resources['PagesPolicy'];
    },
  });
  const response = await fetch(`${closed.output('SiteUrl')}/`);
  await closed.stop();
  expect(response.status).toBe(403);
});
