import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openFileCache } from '../../../edge-agent/inputs/file-cache.ts';
import { NoTar, readTar } from '../../../edge-agent/inputs/tar-reader.ts';
import { unpackArchive } from '../../../edge-agent/inputs/unpack-archive.ts';

let place: string;
beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'edgewise-archive-'));
});
afterEach(() => rmSync(place, { recursive: true, force: true }));

type Found = Readonly<Record<string, string>>;

/** What each path holds; a program begins with `x `, a link with an arrow. */
async function unpack(archive: string, bytesMax = 1e9): Promise<Found> {
  const isInUse = (digest: string): boolean => noted.has(digest);
  const noted = new Set<string>();
  const directory = join(place, 'cache');
  const cache = openFileCache({ directory, bytesMax, isInUse, freeBytesOf: () => 1e12 });
  const into = { cache, note: (digest: string) => noted.add(digest), signal };
  const { files, links } = await unpackArchive(archive, into);
  expect(readdirSync(join(directory, 'parts'))).toEqual([]);
  return Object.fromEntries([
    ...files.map(({ path, sha256, bytes, isExecutable }) => {
      const content = readFileSync(cache.intact(sha256)!, 'utf8');
      expect(Buffer.byteLength(content)).toBe(bytes);
      return [path, `${isExecutable ? 'x ' : ''}${content}`];
    }),
    ...links.map(({ path, link }) => [path, `→ ${link}`]),
  ]);
}

const signal = new AbortController().signal;

const deep = `${'d'.repeat(90)}/${'e'.repeat(90)}`;
const veryDeep = `${deep}/${'f'.repeat(120)}/${'ä'.repeat(100)}`;

/** As a program of this host packs it. */
function pack(format: string, names: readonly string[]): string {
  const tree = join(place, 'tree');
  mkdirSync(join(tree, 'empty'), { recursive: true });
  for (const name of names) {
    mkdirSync(join(tree, name, '..'), { recursive: true });
    writeFileSync(join(tree, name), `in ${name}\n`);
  }
  writeFileSync(join(tree, 'large'), 'x'.repeat(3_000_000));
  writeFileSync(join(tree, 'run'), '#!/bin/sh\n');
  chmodSync(join(tree, 'run'), 0o755);
  symlinkSync('run', join(tree, 'link'));
  linkSync(join(tree, 'run'), join(tree, 'twin'));
  const archive = join(place, 'archive.tar.gz');
  const done = spawnSync('tar', [`--format=${format}`, '-czf', archive, '-C', tree, '.']);
  expect(String(done.stderr)).toBe('');
  return archive;
}

test.each([
  ['v7', ['a']],
  ['ustar', ['a', `${deep}/b`]],
  ['gnu', ['a', `${deep}/b`, veryDeep]],
  ['posix', ['a', `${deep}/b`, veryDeep]],
])('what tar packs as %s comes out as it was', async (format, names) => {
  const found = await unpack(pack(format, names));
  expect(found).toEqual({
    ...Object.fromEntries(names.map((name) => [name, `in ${name}\n`])),
    large: 'x'.repeat(3_000_000),
    run: 'x #!/bin/sh\n',
    twin: 'x #!/bin/sh\n',
    link: '→ run',
  });
});

type Header = { name: string; type?: string; target?: string; content?: string; size?: string };

/** An archive as nobody's program packs it. */
function forge(headers: readonly Header[]): string {
  const blocks = headers.flatMap((header) => {
    const { content = '' } = header;
    const data = Buffer.alloc(Math.ceil(content.length / 512) * 512);
    data.write(content);
    return [headerOf(header), data];
  });
  return stored(gzipSync(Buffer.concat([...blocks, Buffer.alloc(1_024)])));
}

function headerOf({ name, type = '0', target = '', content = '', size }: Header): Buffer {
  const header = Buffer.alloc(512);
  const octal = content.length.toString(8).padStart(11, '0');
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write(`${size ?? octal}\0`, 124, 'latin1');
  header.write(`        ${type}`, 148);
  header.write(target, 157, 100);
  header.write('ustar\0', 257);
  const sum = header.reduce((all, byte) => all + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

function stored(bytes: Uint8Array): string {
  const archive = join(place, 'forged.tar.gz');
  writeFileSync(archive, bytes);
  return archive;
}

test('what comes later stands for what was there', async () => {
  const twice = [
    { name: 'a', content: 'first' },
    { name: './a', content: 'second' },
  ];
  expect(await unpack(forge(twice))).toEqual({ a: 'second' });
});

test.each<[string, Header[]]>([
  ['a path upwards', [{ name: '../a', content: 'x' }]],
  ['a path upwards in the middle', [{ name: 'a/../../b', content: 'x' }]],
  ['a path from the root', [{ name: '/etc/passwd', content: 'x' }]],
  ['no name', [{ name: '', content: 'x' }]],
  ['a control character', [{ name: 'a\u001b[2J', content: 'x' }]],
  ['a link out', [{ name: 'a', type: '2', target: '../../b' }]],
  ['a link to the root', [{ name: 'a', type: '2', target: '/etc/passwd' }]],
  ['another name of what is not in it', [{ name: 'a', type: '1', target: '/etc/passwd' }]],
  ['a device', [{ name: 'a', type: '3' }]],
  ['a pipe', [{ name: 'a', type: '6' }]],
  ['a file below a file', [{ name: 'a' }, { name: 'a/b' }]],
  [
    'a file below a link',
    [
      { name: 'a', type: '2', target: 'b' },
      { name: 'a/c', content: 'x' },
    ],
  ],
  ['a size that is no number', [{ name: 'a', size: 'zzzzzzzzzzz' }]],
  ['a size below zero', [{ name: 'a', size: '\u00ff'.repeat(11) }]],
  ['more than there is', [{ name: 'a', size: '00000077777' }]],
  ['a name without an end', [{ name: 'x', type: 'x', content: '99 path=a\n' }, { name: 'a' }]],
  ['a name that is too long', [{ name: 'x', type: 'L', content: 'y'.repeat(70_000) }]],
])('%s is refused, and nothing is left', async (_, headers) => {
  await expect(unpack(forge(headers))).rejects.toMatchObject({
    kind: expect.stringMatching(/^(input-corrupt|no-free-disk)$/),
  });
  expect(readdirSync(join(place, 'cache', 'parts'))).toEqual([]);
});

test.each([
  ['no gzip', Buffer.from('what is this?')],
  ['no tar', gzipSync(Buffer.alloc(2_048, 'x'))],
  ['cut off', gzipSync(Buffer.alloc(100_000, 'x')).subarray(0, 60)],
])('%s is corrupt', async (_, bytes) => {
  await expect(unpack(stored(bytes))).rejects.toMatchObject({ kind: 'input-corrupt' });
});

test('one that unfolds to more than fits says so', async () => {
  const headers = ['a', 'b', 'c'].map((name) => ({ name, content: name.repeat(400_000) }));
  await expect(unpack(forge(headers), 1_000_000)).rejects.toMatchObject({ kind: 'no-free-disk' });
});

test('headers without an end have one', async () => {
  const header = headerOf({ name: 'x', type: 'g' });
  const pieces = async function* () {
    for (let at = 0; at < 11; at++) yield header;
  };
  const read = async (headersMax: number): Promise<void> => {
    for await (const _ of readTar(pieces(), headersMax));
  };
  await read(11);
  await expect(read(10)).rejects.toBeInstanceOf(NoTar);
});
