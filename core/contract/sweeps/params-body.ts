import * as z from 'zod';
import type { JobInput, Run } from '../../model/job.ts';
import { chunksMax, jobPowerMax } from '../../model/limits.ts';
import { unknownNamesOf } from '../../sweeps/fill-run.ts';
import { sweepItemsMax, sweepNamesMax } from '../../sweeps/limits.ts';
import { namesProblem, valueProblem } from '../../sweeps/parameters.ts';
import {
  countOf,
  namesOf,
  type Sweep,
  sweepFormats,
  type WrittenSweep,
} from '../../sweeps/sweep.ts';
import { unknownNames } from '../../sweeps/template.ts';
import { digestSchema } from '../files/file-body.ts';

/** The parameters of a job whose chunks differ. */

const valueSchema = z
  .union([z.string(), z.number(), z.boolean()], {
    error: 'A parameter is a text, a number, or true or false.',
  })
  .superRefine((value, context) => {
    const problem = valueProblem(value);
    if (problem === null) return;
    context.addIssue({ code: 'custom', message: `This parameter ${problem}.` });
  });

const named = <S extends z.ZodType>(value: S) =>
  z.record(z.string(), value).superRefine((table, context) => {
    const problem = namesProblem(Object.keys(table));
    if (problem !== null) context.addIssue({ code: 'custom', message: problem });
  });

export const paramsSchema = z
  .strictObject({
    items: z.array(named(valueSchema)).min(1).max(sweepItemsMax).optional().meta({
      description: 'The parameters of each chunk, one after another.',
    }),
    matrix: named(z.array(valueSchema).min(1).max(chunksMax)).optional().meta({
      description: 'All combinations; the last name changes fastest.',
    }),
    file: digestSchema.optional().meta({
      description: 'A stored file with a line for each chunk, by its SHA-256.',
    }),
    format: z.enum(sweepFormats).optional().meta({
      description: 'Of the file; `lines` by default, whose one parameter is `line`.',
    }),
  })
  .superRefine(({ items, matrix, file, format }, context) => {
    const issue = (path: string[], message: string) =>
      context.addIssue({ code: 'custom', path, message });
    const given = [items, matrix, file].filter((one) => one !== undefined).length;
    if (given !== 1) issue([], 'Parameters are exactly one of "items", "matrix" and "file".');
    if (format !== undefined && file === undefined) {
      issue(['format'], 'Only a file has a format.');
    }
    if (matrix !== undefined && countOf({ matrix }) > chunksMax) {
      issue(['matrix'], `A job has at most ${chunksMax} chunks; these are more combinations.`);
    }
  })
  .meta({
    id: 'Params',
    description: `A sweep: a set of at most ${sweepNamesMax} parameters for each chunk.`,
  });

type ParamsBody = z.output<typeof paramsSchema>;

/** As it is stored. */
export function sweepOf({ items, matrix, file, format }: ParamsBody): Sweep {
  if (items !== undefined) return { items };
  if (matrix !== undefined) return { matrix };
  return { file: file ?? '', format: format ?? 'lines' };
}

export type SweepIssue = { readonly pointer: string; readonly message: string };

/** What of a sweep does not fit the rest of its job, once it is known what it comes to. */
export function sweepIssues(
  body: {
    readonly run?: unknown;
    readonly inputs?: readonly unknown[];
    readonly outputs: { readonly paths: readonly string[] } | null;
    readonly power: number | null;
    readonly chunkPower: number | null;
    readonly chunks: number | null;
  },
  known: { readonly chunks: number; readonly names: ReadonlySet<string> },
): readonly SweepIssue[] {
  const issues: SweepIssue[] = [];
  if (body.chunks !== null && body.chunks !== known.chunks) {
    const message = `The parameters make ${known.chunks} chunks; leave "chunks" out.`;
    issues.push({ pointer: '/chunks', message });
  }
  if (body.power !== null && known.chunks > body.power) {
    const message = `Power ${body.power} cannot be divided into ${known.chunks} chunks.`;
    issues.push({ pointer: '/power', message });
  }
  if ((body.chunkPower ?? 1) * known.chunks > jobPowerMax) {
    const message = `All chunks together may ask for a power of at most ${jobPowerMax}.`;
    issues.push({ pointer: '/params', message });
  }
  const run = body.run as Run | undefined;
  const ofPaths = (body.outputs?.paths ?? []).flatMap((path, index) =>
    unknownNames(path, known.names).map((name) => ({ pointer: `/outputs/paths/${index}`, name })),
  );
  const ofRun = run === undefined ? [] : unknownNamesOf(run, known.names);
  const ofInputs = namesInInputs((body.inputs ?? []) as readonly JobInput[], known.names);
  for (const { pointer, name } of [...ofRun, ...ofInputs, ...ofPaths]) {
    issues.push({ pointer, message: `Not every chunk has a parameter "${name}".` });
  }
  return issues;
}

function namesInInputs(inputs: readonly JobInput[], known: ReadonlySet<string>) {
  return inputs.flatMap((input, index) =>
    (['path', 'sha256', 'manifest'] as const).flatMap((field) =>
      unknownNames(input[field] ?? '', known).map((name) => {
        return { pointer: `/inputs/${index}/${field}`, name };
      }),
    ),
  );
}

/** Of a sweep that the job itself holds. */
export function writtenSweepOf(params: ParamsBody): WrittenSweep | null {
  const sweep = sweepOf(params);
  return 'file' in sweep ? null : sweep;
}

export function knownOf(sweep: WrittenSweep): {
  readonly chunks: number;
  readonly names: ReadonlySet<string>;
} {
  return { chunks: countOf(sweep), names: namesOf(sweep) };
}
