import type { PartsUploadAnswer } from '../../../core/contract/files/file-body.ts';
import { fileAddressSeconds, filePartBytes } from '../../../core/files/limits.ts';
import type { FileParts, Files } from '../../../core/ports/files.ts';

/**
 * A file that is sent in parts: whoever asks hears which are missing, and when none is, that the
 * file is there. So the same question begins an upload, goes on with it and ends it.
 */
export async function storeParts(
  files: Pick<Files, 'findInParts' | 'storeInParts'>,
  space: string,
  { sha256, ...file }: FileParts & { readonly sha256: string },
  { freshMs, nowMs }: { readonly freshMs: number; readonly nowMs: number },
): Promise<PartsUploadAnswer> {
  const found = await files.findInParts(space, sha256, file);
  if (found !== null && nowMs - found.storedAtMs < freshMs) return { sha256, present: true };
  const upload = await files.storeInParts(space, sha256, file, nowMs);
  if (upload === null) return { sha256, present: true };
  const parts = upload.parts.map(({ number, address: { url, headers } }) => {
    return { number, uploadUrl: url, headers: { ...headers } };
  });
  const expiresAt = new Date(nowMs + fileAddressSeconds * 1_000).toISOString();
  const { uploadId } = upload;
  return { sha256, present: false, uploadId, partBytes: filePartBytes, parts, expiresAt };
}
