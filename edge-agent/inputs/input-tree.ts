import type { Manifest } from '../../core/files/manifest.ts';
import type { JobInput } from '../../core/model/job.ts';
import { placeOf } from './own-inputs.ts';

/** What all inputs of a job come to: which file lies where in the directory of a chunk. */
export type InputTree = {
  readonly files: readonly InputFile[];
  readonly links: readonly (InputPlace & { readonly link: string })[];
};

export type InputPlace = {
  /** Below the directory of a chunk. */
  readonly path: string;
  /** Which of the inputs it belongs to, and where it lies in that. */
  readonly input: number;
  readonly below: string;
};

export type InputFile = InputPlace & {
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
  const links: (InputPlace & { link: string })[] = [];
  for (const [at, { sha256, manifest, unpack, executable, writable }] of inputs.entries()) {
    const isWritable = writable === true;
    if (sha256 !== undefined && unpack === undefined) {
      const isExecutable = executable === true;
      files.push({ ...placed(inputs, at, ''), digest: sha256, isWritable, isExecutable });
    }
    const tree = trees.get(manifest ?? sha256 ?? '');
    if (tree === undefined || (manifest ?? unpack) === undefined) continue;
    for (const { path: part, sha256: digest, isExecutable } of tree.files) {
      files.push({ ...placed(inputs, at, part), digest, isWritable, isExecutable });
    }
    for (const { path: part, link } of tree.links) {
      links.push({ ...placed(inputs, at, part), link });
    }
  }
  return { files, links };
}

/** The same files where a chunk whose paths have names of its own finds them. */
export function placedBy({ files, links }: InputTree, inputs: readonly JobInput[]): InputTree {
  const place = <T extends InputPlace>(one: T): T => ({ ...one, path: placeOf(inputs, one) });
  return { files: files.map(place), links: links.map(place) };
}

function placed(inputs: readonly JobInput[], input: number, below: string): InputPlace {
  return { path: placeOf(inputs, { input, below }), input, below };
}

/**
 * What has to be there before the tree is known, and whatever it turns out to be; a file from
 * elsewhere as well, under the digest that it must have.
 */
export function digestsOf(inputs: readonly JobInput[]): string[] {
  return inputs.flatMap(({ sha256, manifest }) => sha256 ?? manifest ?? []);
}
