/**
 * Fills a bucket from a folder, as `aws s3 sync` does after a deployment: a template can create a
 * bucket but not what is in it. The bucket is named by an output of the stack.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Json } from '../../assembly/assembly.ts';
import { StartFailure } from '../../failure.ts';
import type { BucketStore } from '../queues-and-buckets.ts';

export function uploadFolders(
  folders: Readonly<Record<string, string>>,
  outputs: Readonly<Record<string, Json>>,
  buckets: BucketStore,
): void {
  for (const [output, folder] of Object.entries(folders)) {
    const bucket = outputs[output];
    if (typeof bucket !== 'string' || !buckets.hasBucket(bucket)) {
      throw new StartFailure(`--files ${output}=…: the output ${output} names no bucket.`);
    }
    if (!existsSync(folder)) {
      throw new StartFailure(`--files ${output}=${folder}: there is no such folder.`);
    }
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const key = relative(folder, path).split(sep).join('/');
      buckets.putObject(bucket, key, readFileSync(path));
    }
  }
}
