import type { Run } from '../model/job.ts';
import { asTable, type Parameters, variableOf } from './parameters.ts';
import { fillTemplate, type TemplateValues, unknownNames } from './template.ts';

/**
 * What one chunk runs: the names in its words replaced, and its parameters in its environment. No
 * shell is involved: a value stays the one word that it is in.
 */
export function fillRun(run: Run, values: TemplateValues): Run {
  if ('simulate' in run) return run;
  const fill = (text: string): string => fillTemplate(text, values);
  const filledIn = <T extends Words>(body: T) => {
    const argv = (body.argv ?? []).map(fill);
    const env = { ...mapValues(body.env ?? {}, fill), ...environmentOf(values.parameters) };
    return { ...body, argv, env };
  };
  if ('pod' in run) {
    return { pod: { ...run.pod, containers: run.pod.containers.map((it) => filledIn(it)) } };
  }
  const filled = Object.entries(run).map(([executor, body]) => [executor, filledIn(body)]);
  return Object.fromEntries(filled) as Run;
}

/** Whether chunks of the job differ in what they run, and not only in their environment. */
export function hasTemplates(run: Run): boolean {
  if ('simulate' in run) return false;
  return textsOf(run).some(({ text }) => text.includes('{chunk}') || text.includes('{job}'));
}

/** Each name that stands for nothing, with the place that has it. */
export function unknownNamesOf(
  run: Run,
  known: ReadonlySet<string>,
): readonly { readonly pointer: string; readonly name: string }[] {
  if ('simulate' in run) return [];
  return textsOf(run).flatMap(({ pointer, text }) =>
    unknownNames(text, known).map((name) => ({ pointer, name })),
  );
}

type Words = {
  readonly argv?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
};

function textsOf(run: Run): { readonly pointer: string; readonly text: string }[] {
  const placed: readonly (readonly [string, Words])[] =
    'pod' in run
      ? run.pod.containers.map((one, index) => [`/run/pod/containers/${index}`, one])
      : Object.entries(run).map(([executor, body]) => [`/run/${executor}`, body as Words]);
  return placed.flatMap(([at, { argv = [], env = {} }]) => {
    return [
      ...argv.map((text, index) => ({ pointer: `${at}/argv/${index}`, text })),
      ...Object.entries(env).map(([name, text]) => ({ pointer: `${at}/env/${name}`, text })),
    ];
  });
}

function environmentOf(parameters: Parameters | null): Record<string, string> {
  if (parameters === null) return {};
  const variables = [...parameters].map(([name, value]) => [variableOf(name), String(value)]);
  return {
    ...Object.fromEntries(variables),
    EDGEWISE_PARAMS: JSON.stringify(asTable(parameters)),
  };
}

function mapValues(
  table: Readonly<Record<string, string>>,
  map: (text: string) => string,
): Record<string, string> {
  return Object.fromEntries(Object.entries(table).map(([name, text]) => [name, map(text)]));
}
