import type { Manifest } from '../../core/files/manifest.ts';
import type { JobInput } from '../../core/model/job.ts';

/** What all inputs of a job come to: which file lies where in the directory of a chunk. */
export type InputTree = {
  readonly files: readonly InputFile[];
  readonly links: readonly { readonly path: string; readonly link: string }[];
};

export type InputFile = {
  readonly path: string;
  readonly digest: string;
  /** The chunk gets its own copy, and may change it. */
  readonly isWritable: boolean;
  readonly isExecutable: boolean;
};

export function treeOf(
  inputs: readonly JobInput[],
  /** Of lists and archives, by their digests. */
  trees: ReadonlyMap<string, Manifest>,
): InputTree {
  const files: InputFile[] = [];
  const links: { path: string; link: string }[] = [];
  for (const { path, sha256, manifest, unpack, executable, writable } of inputs) {
    const isWritable = writable === true;
    if (sha256 !== undefined && unpack === undefined) {
      files.push({ path, digest: sha256, isWritable, isExecutable: executable === true });
    }
    const tree = trees.get(manifest ?? sha256 ?? '');
    if (tree === undefined || (manifest ?? unpack) === undefined) continue;
    const below = (part: string): string => `${path.replace(/\/$/, '')}/${part}`;
    for (const { path: part, sha256: digest, isExecutable } of tree.files) {
      files.push({ path: below(part), digest, isWritable, isExecutable });
    }
    for (const { path: part, link } of tree.links) links.push({ path: below(part), link });
  }
  return { files, links };
}

/**
 * What has to be there before the tree is known, and whatever it turns out to be; a file from
 * elsewhere as well, under the digest that it must have.
 */
export function digestsOf(inputs: readonly JobInput[]): string[] {
  return inputs.flatMap(({ sha256, manifest }) => sha256 ?? manifest ?? []);
}
