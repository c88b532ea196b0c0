import { parseDocument } from 'yaml';
import { ProblemError } from '../../core/contract/problem.ts';
import { yamlAliasesMax } from '../limits.ts';

/**
 * JSON is YAML too. Aliases are bounded, so that a small document cannot unfold into a huge one.
 */
export function parseYaml(text: string, what: string): unknown {
  try {
    const document = parseDocument(text, { version: '1.2', uniqueKeys: true });
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: yamlAliasesMax });
  } catch (error) {
    const mistake = error instanceof Error ? error.message.split('\n')[0] : 'it cannot be read';
    throw new ProblemError('invalid-json', `${what} is no YAML: ${mistake}`);
  }
}
