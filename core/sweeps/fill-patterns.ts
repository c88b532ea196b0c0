import { fillTemplate, type TemplateValues, unknownNames } from './template.ts';

/**
 * Where the results of one chunk lie, when the patterns of its job have names in braces. A value
 * is put in as it is: what it says of a path holds as if it had been written there.
 */
export function fillPatterns(
  patterns: readonly string[],
  values: TemplateValues,
): readonly string[] {
  return patterns.map((pattern) => fillTemplate(pattern, values));
}

/** Whether patterns may differ from chunk to chunk; a brace that is none counts. */
export function haveNames(patterns: readonly string[]): boolean {
  return patterns.some((pattern) => pattern.includes('{'));
}

/** Whether the parameters of a chunk are needed, and not only its number and job. */
export function needParameters(patterns: readonly string[]): boolean {
  return patterns.some((pattern) => unknownNames(pattern, new Set()).length > 0);
}
