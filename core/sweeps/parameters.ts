import { newTable } from '../protocol/named-values.ts';
import { sweepNameLengthMax, sweepNamesMax, sweepValueLengthMax } from './limits.ts';

/** What one chunk of a sweep is given: names with values. Names come from outside. */
export type ParameterValue = string | number | boolean;

export type Parameters = ReadonlyMap<string, ParameterValue>;

const namePattern = /^[A-Za-z][A-Za-z0-9_-]*$/;
/** What every chunk has already. */
const taken: ReadonlySet<string> = new Set(['chunk', 'job']);

/** Why a parameter cannot be called so, or `null`. */
export function nameProblem(name: string): string | null {
  if (!namePattern.test(name) || name.length > sweepNameLengthMax) {
    return (
      `is made of letters, digits, - and _, begins with a letter ` +
      `and has at most ${sweepNameLengthMax} of them`
    );
  }
  return taken.has(name) ? 'is another one: every chunk has that already' : null;
}

/** Why these names cannot stand beside each other, or `null`. */
export function namesProblem(names: readonly string[]): string | null {
  if (names.length === 0) return 'There is no parameter.';
  if (names.length > sweepNamesMax) return `A chunk has at most ${sweepNamesMax} parameters.`;
  const variables = new Map<string, string>();
  for (const name of names) {
    const problem = nameProblem(name);
    if (problem !== null) return `The name of a parameter ${problem}; "${name}" does not fit.`;
    const other = variables.get(variableOf(name));
    if (other === name) return `"${name}" is there twice.`;
    if (other !== undefined) return `"${other}" and "${name}" would be one variable.`;
    variables.set(variableOf(name), name);
  }
  return null;
}

/** Why this cannot be the value of a parameter, or `null`. */
export function valueProblem(value: unknown): string | null {
  if (typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value))) {
    return null;
  }
  if (typeof value !== 'string') return 'is neither a text, a number, nor true or false';
  if (value.length > sweepValueLengthMax) return `has more than ${sweepValueLengthMax} characters`;
  if (value.includes('\u0000')) return 'has the NUL character';
  return value.isWellFormed() ? null : 'is not valid Unicode';
}

/** The variable in which a chunk finds a parameter. */
export function variableOf(name: string): string {
  return `EDGEWISE_PARAM_${name.toUpperCase().replaceAll('-', '_')}`;
}

export function asTable(parameters: Parameters): Record<string, ParameterValue> {
  const table = newTable<ParameterValue>();
  for (const [name, value] of parameters) table[name] = value;
  return table;
}

/** From what came over the wire; `null` for what is no set of parameters. */
export function parseParameters(value: unknown): Parameters | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const entries = Object.entries(value);
  if (namesProblem(entries.map(([name]) => name)) !== null) return null;
  if (entries.some(([, one]) => valueProblem(one) !== null)) return null;
  return new Map(entries as [string, ParameterValue][]);
}
