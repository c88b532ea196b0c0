/**
 * Figures in the text format of Prometheus, version 0.0.4. Names and labels are written in this
 * program and none come from outside, so that how many series there are is known beforehand.
 */
export type Family = {
  readonly name: string;
  readonly help: string;
  readonly type: 'gauge' | 'counter';
  readonly samples: readonly Sample[];
};

type Sample = {
  readonly labels?: Readonly<Record<string, string>>;
  readonly value: number;
};

export const prometheusType = 'text/plain; version=0.0.4; charset=utf-8';

export function prometheusText(families: readonly Family[]): string {
  return families.map(textOf).join('');
}

function textOf({ name, help, type, samples }: Family): string {
  const head = `# HELP ${name} ${escapeHelp(help)}\n# TYPE ${name} ${type}\n`;
  return head + samples.map((sample) => `${name}${lineOf(sample)}\n`).join('');
}

function lineOf({ labels = {}, value }: Sample): string {
  const pairs = Object.entries(labels).map(([name, text]) => `${name}="${escapeLabel(text)}"`);
  return `${pairs.length === 0 ? '' : `{${pairs.join(',')}}`} ${numberOf(value)}`;
}

function numberOf(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : `${value < 0 ? '-' : '+'}Inf`;
}

const escapeHelp = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
const escapeLabel = (text: string): string => escapeHelp(text).replaceAll('"', '\\"');
