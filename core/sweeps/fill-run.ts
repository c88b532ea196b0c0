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
  const filled = Object.entries(run).map(([executor, body]) => {
    const argv = (body.argv ?? []).map(fill);
    const env = { ...mapValues(body.env ?? {}, fill), ...environmentOf(values.parameters) };
    return [executor, { ...body, argv, env }];
  });
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

function textsOf(run: Run): { readonly pointer: string; readonly text: string }[] {
  return Object.entries(run).flatMap(([executor, body]) => {
    const { argv = [], env = {} } = body as {
      readonly argv?: readonly string[];
      readonly env?: Readonly<Record<string, string>>;
    };
    const at = `/run/${executor}`;
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
