import { UsageError } from '../program/usage-error.ts';

/**
 * What the agent says of itself, one line each, as text for a person or as JSON for a collector. A
 * line that an edge says begins with its name, which is a field of its own in JSON.
 */
export type LogLevel = 'info' | 'warning' | 'error';

export type Log = (line: string, level?: LogLevel) => void;

export type LogOptions = { readonly format: 'text' | 'json'; readonly level: LogLevel };

/** The first one says most. */
const levels: readonly LogLevel[] = ['info', 'warning', 'error'];

export function parseLog(format = 'text', level = 'info'): LogOptions {
  if (format !== 'text' && format !== 'json') {
    throw new UsageError(`--log-format is text or json, not "${format}".`);
  }
  const known = levels.find((one) => one === level);
  if (known !== undefined) return { format, level: known };
  throw new UsageError(`--log-level is ${levels.join(', ')}, not "${level}".`);
}

export function makeLog(
  { format, level: least }: LogOptions,
  to: { readonly write: (text: string) => void; readonly nowMs: () => number },
): Log {
  return (line, level = 'info') => {
    if (levels.indexOf(level) < levels.indexOf(least)) return;
    to.write(`${format === 'text' ? line : jsonOf(line, level, to.nowMs())}\n`);
  };
}

function jsonOf(line: string, level: LogLevel, nowMs: number): string {
  const [, edge, words] = /^([a-z0-9][a-z0-9-]{0,63}): (.*)$/s.exec(line) ?? [];
  const time = new Date(nowMs).toISOString();
  return JSON.stringify({ time, level, ...(edge && { edge }), message: words ?? line });
}
