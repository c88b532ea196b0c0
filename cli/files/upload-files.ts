import type { UploadAnswer } from '../../core/contract/files/file-body.ts';
import { fileAddressesMax } from '../../core/files/limits.ts';
import type { Api } from '../client/api.ts';
import { progressBar } from '../output/progress-bar.ts';
import type { Terminal } from '../terminal.ts';
import { inLanes } from './in-lanes.ts';
import type { FileSource } from './local-input.ts';
import { putFile } from './put-file.ts';
import { uploadParts } from './upload-parts.ts';

/**
 * Sends what the store does not have, each file once, a few at a time, straight to the store. What
 * was sent stays sent: an interrupted upload goes on with the rest.
 */
export async function uploadFiles(
  api: Api,
  terminal: Terminal,
  sources: readonly FileSource[],
  pool: string | undefined,
): Promise<void> {
  const byDigest = new Map(sources.map((source) => [source.sha256, source]));
  const all = [...byDigest.values()];
  const bar = progressBar(terminal);
  const total = all.reduce((sum, { bytes }) => sum + bytes, 0);
  let [sentFiles, sentBytes, settled] = [0, 0, 0];
  const draw = (): void => {
    const percent = total === 0 ? 100 : Math.floor((settled / total) * 100);
    bar.draw(percent, `${sentFiles} files, ${sizeOf(sentBytes)} sent`);
  };
  const moved = (bytes: number): void => {
    sentBytes += bytes;
    settled += bytes;
    draw();
  };
  const small = all.filter(({ parts }) => parts === undefined);
  for (let at = 0; at < small.length; at += fileAddressesMax) {
    const some = small.slice(at, at + fileAddressesMax);
    const uploads = await askFor(api, some, pool);
    for (const { sha256, present } of uploads) {
      if (present) settled += byDigest.get(sha256)?.bytes ?? 0;
    }
    await inLanes(uploads, async (upload) => {
      const source = byDigest.get(upload.sha256);
      if (upload.present || source === undefined) return;
      await putFile(terminal, upload, source, moved);
      sentFiles += 1;
    });
    draw();
  }
  const isThere = (bytes: number): void => {
    settled += bytes;
    draw();
  };
  for (const source of all.filter(({ parts }) => parts !== undefined)) {
    if (await uploadParts(api, terminal, source, { pool, moved, isThere })) sentFiles += 1;
  }
  bar.clear();
  const count = all.length === 1 ? '1 file' : `${all.length} files`;
  terminal.say(
    sentFiles === 0
      ? `  ${count}, ${sizeOf(total)}: all there already`
      : `  sent ${sentFiles} of ${count}, ${sizeOf(sentBytes)}`,
  );
}

async function askFor(
  api: Api,
  sources: readonly FileSource[],
  pool: string | undefined,
): Promise<readonly UploadAnswer[]> {
  const files = sources.map(({ sha256, bytes }) => ({ sha256, bytes }));
  const body = { files, ...(pool === undefined ? {} : { pool }) };
  const asked = await api.ask<{ items: readonly UploadAnswer[] }>('POST', '/v1/files/uploads', {
    body,
  });
  return asked.body.items;
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1_000).toFixed(1)} kB`;
  return bytes < 1_000_000_000
    ? `${(bytes / 1_000_000).toFixed(1)} MB`
    : `${(bytes / 1_000_000_000).toFixed(2)} GB`;
}
