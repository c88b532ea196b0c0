/**
 * Filters of queues. "Before filtering your messages, Lambda automatically evaluates the format of
 * the incoming message body and of your filter pattern for body. If there is a mismatch, Lambda
 * drops the message." (https://docs.aws.amazon.com/lambda/latest/dg/with-sqs-filtering.html)
 */
import type { Json, JsonObject } from '../../../../assembly/assembly.ts';
import { compileFilter, type FilterPattern, parsePattern } from '../filter/pattern.ts';
import { parseExactly } from '../filter/written-number.ts';

export function compileQueueFilter(text: string, path: string): FilterPattern {
  const passes = compileFilter(text, path);
  const body = (parsePattern(text, path) as JsonObject).body;
  if (body === undefined) return passes;
  const wantsText = Array.isArray(body);
  return (record) => {
    const isText = typeof (record as JsonObject).body === 'string';
    return isText === wantsText && passes(record);
  };
}

/** A body that is a JSON object or list is filtered as such, any other as the text that it is. */
export function filteredBody(body: string): Json {
  try {
    const value = parseExactly(body);
    return typeof value === 'object' && value !== null ? value : body;
  } catch {
    return body;
  }
}
