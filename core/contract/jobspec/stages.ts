import * as z from 'zod';
import { stagesMax } from '../../files/limits.ts';
import { digestSchema } from '../files/file-body.ts';
import { nonEmptyText } from '../text-schema.ts';
import type { FieldError } from '../validation.ts';
import type { Unit } from './plan.ts';

/**
 * Files of the submitter that a task stages: the jobspec names a path on the submitter's machine,
 * and whoever submits says what was stored for it. Every run finds them below `$EDGEWISE_STAGE`,
 * under the last part of the path.
 */
export const stagedSchema = z
  .record(
    nonEmptyText(4_096),
    z
      .strictObject({
        sha256: digestSchema.optional(),
        manifest: digestSchema.optional(),
        executable: z.boolean().optional(),
      })
      .refine(({ sha256, manifest }) => (sha256 === undefined) !== (manifest === undefined), {
        error: 'What is staged has exactly one of "sha256" and "manifest".',
      }),
  )
  .refine((stages) => Object.keys(stages).length <= stagesMax, {
    error: `A jobspec stages at most ${stagesMax} files and directories.`,
  })
  .meta({ id: 'Stages', description: 'By the path of the step: what was stored for it.' });

export type Staged = z.output<typeof stagedSchema>;

export const nothingStaged: Staged = {};

/** Of a group with all that is in it: it is one job. */
export function stagesOf(unit: Unit): readonly string[] {
  const own = unit.kind === 'group' ? unit.members.flatMap(stagesOf) : unit.stages;
  return [...new Set(own)];
}

/** Better refused than ignored: a run would not find its files. */
export function missingStages(units: readonly Unit[], staged: Staged): FieldError[] {
  return units.flatMap((unit): FieldError[] => {
    if (unit.kind === 'group') return missingStages(unit.members, staged);
    return unit.stages.flatMap((path, at) => {
      if (Object.hasOwn(staged, path)) return [];
      const message = `Nothing was stored for "${path}"; edgewise jobspec submit does that.`;
      return [{ pointer: `${unit.pointer}/steps/${at}`, message }];
    });
  });
}

/** Where each lies for a run, below its directory. */
export function stagedInputs(unit: Unit, staged: Staged): readonly object[] {
  return stagesOf(unit).flatMap((path) => {
    const found = Object.hasOwn(staged, path) ? staged[path] : undefined;
    return found === undefined ? [] : [{ path: `stage/${lastOf(path)}`, ...found }];
  });
}

function lastOf(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  return parts.at(-1) ?? path;
}

/** A program that finds the directory where its files lie. */
export function withStage(argv: readonly string[]): readonly string[] {
  const script = 'EDGEWISE_STAGE="$EDGEWISE_DIR/stage"; export EDGEWISE_STAGE; exec "$@"';
  return ['sh', '-c', script, 'stage', ...argv];
}
