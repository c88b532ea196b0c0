import type { Table } from '../output/table.ts';
import type { Drift } from './drift.ts';
import type { Mended, StageReport } from './stage.ts';

/** One line for each drift; a stage without any, or without an answer, has one for itself. */
type Line = {
  readonly stage: string;
  readonly kind: string;
  readonly name: string;
  readonly state: string;
  readonly detail: string;
};

export const stageTable: Table<Line> = {
  name: ({ stage }) => stage,
  columns: [
    { title: 'STAGE', of: ({ stage }) => stage },
    { title: 'KIND', of: ({ kind }) => kind },
    { title: 'NAME', of: ({ name }) => name },
    { title: 'STATE', of: ({ state }) => state },
    { title: 'DETAIL', of: ({ detail }) => detail },
  ],
};

export function linesOfDrift({ stage, drifts, problem }: StageReport): readonly Line[] {
  if (problem !== null) return [lineOfStage(stage.name, 'unknown', problem)];
  if (drifts.length === 0) return [lineOfStage(stage.name, 'as described', '')];
  return drifts.map((it) => lineOf(stage.name, it, it.drift, differences(it)));
}

export function linesOfMending(
  { stage, problem }: StageReport,
  mended: readonly Mended[],
): readonly Line[] {
  if (problem !== null) return [lineOfStage(stage.name, 'unknown', problem)];
  if (mended.length === 0) return [lineOfStage(stage.name, 'as described', '')];
  return mended.map(({ drift, problem: why }) =>
    why === null
      ? lineOf(stage.name, drift, doneWords[drift.drift], differences(drift))
      : lineOf(stage.name, drift, 'refused', why),
  );
}

const doneWords = { missing: 'made', differs: 'changed', unwanted: 'removed' } as const;

function lineOfStage(stage: string, state: string, detail: string): Line {
  return { stage, kind: '-', name: '-', state, detail };
}

function lineOf(stage: string, { kind, name }: Drift, state: string, detail: string): Line {
  return { stage, kind, name, state, detail };
}

/** `policy spread, not pack`: what is there, and what is described. */
function differences({ fields }: Drift): string {
  return fields
    .map(({ field, described, found }) => `${field} ${shown(found)}, not ${shown(described)}`)
    .join('; ');
}

function shown(value: unknown): string {
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

/** For programs: bodies are what the description says already. */
export function recordOf(report: StageReport, mended: readonly Mended[] | null) {
  const { stage, drifts, problem } = report;
  const problems = new Map(mended?.map((it) => [it.drift, it.problem]));
  return {
    stage: stage.name,
    api: stage.api.url,
    problem,
    drifts: drifts.map((drift) => {
      const { kind, name, drift: state, fields, revoked } = drift;
      const said = { kind, name, drift: state, fields, revoked };
      return mended === null ? said : { ...said, problem: problems.get(drift) ?? null };
    }),
  };
}
