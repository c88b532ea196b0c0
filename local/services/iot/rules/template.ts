/** Substitution templates: `${expression}` inside the text of an action. */
import { evaluate } from './evaluation.ts';
import type { Expression } from './expression-tree.ts';
import { asText, type MessageContext, type Value } from './functions.ts';
import { parseRuleExpression } from './sql.ts';

export type TextTemplate = readonly (string | Expression)[];

export function parseTemplate(text: string): TextTemplate {
  const parts: (string | Expression)[] = [];
  let at = 0;
  for (;;) {
    const start = text.indexOf('${', at);
    if (start < 0) return [...parts, text.slice(at)];
    const end = closing(text, start + 2);
    if (end < 0) throw new Error(`the template ${text} has no closing brace`);
    parts.push(text.slice(at, start), parseRuleExpression(text.slice(start + 2, end)));
    at = end + 1;
  }
}

/** "evaluated separately from the SELECT statement": it sees the message, not the result. */
export function fillTemplate(
  template: TextTemplate,
  payload: Value,
  context: MessageContext,
): string {
  return template
    .map((part) =>
      typeof part === 'string' ? part : (asText(evaluate(part, payload, context)) ?? 'undefined'),
    )
    .join('');
}

/** The brace that closes, past nested objects and quoted texts. */
function closing(text: string, from: number): number {
  let depth = 0;
  let quote = '';
  for (let at = from; at < text.length; at++) {
    const character = text[at]!;
    if (quote !== '') quote = character === quote ? '' : quote;
    else if (character === "'" || character === '"') quote = character;
    else if (character === '{') depth++;
    else if (character === '}' && depth-- === 0) return at;
  }
  return -1;
}
