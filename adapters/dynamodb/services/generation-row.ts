import type { JobId } from '../../../core/model/names.ts';
import type { GenerationSpec, StoredGeneration } from '../../../core/services/generation.ts';
import { generationKey } from '../keys.ts';
import { isGenerationSpec } from '../rows/job-shapes.ts';
import { json, text, time, whole } from '../rows/row-values.ts';
import type { Row } from '../table.ts';

/** `JOB#<id>/GEN#<n>`: what a service ran, runs or shall run. Only the API writes it. */
export function encodeGeneration(job: JobId, generation: StoredGeneration): Row {
  return {
    ...generationKey(job, generation.generation),
    generation: generation.generation,
    spec: JSON.stringify(generation.spec),
    specHash: generation.specHash,
    createdAtMs: generation.createdAtMs,
    createdBy: generation.createdBy,
  };
}

export function decodeGeneration(row: Row): StoredGeneration {
  const spec = json<GenerationSpec | null>(row.spec, isGenerationSpec, null);
  if (spec === null) throw new Error(`${row.pk} ${row.sk} holds no spec`);
  return {
    generation: whole(row.generation),
    spec,
    specHash: text(row.specHash),
    createdAtMs: time(row.createdAtMs),
    createdBy: text(row.createdBy),
  };
}
