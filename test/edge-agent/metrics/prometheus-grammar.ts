/**
 * The text format of Prometheus, version 0.0.4, read as its page describes it and no more kindly:
 * https://prometheus.io/docs/instrumenting/exposition_formats. Throws at the first line that is not
 * of it, a family that is there twice, a series that is, or one without its type.
 */
export type Scrape = ReadonlyMap<string, { readonly type: string; readonly series: Series }>;
type Series = ReadonlyMap<string, number>;

const name = '[a-zA-Z_:][a-zA-Z0-9_:]*';
const label = String.raw`[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*"`;
const helpLine = new RegExp(String.raw`^# HELP (${name}) ((?:[^\\\n]|\\[\\n])*)$`);
const typeLine = new RegExp(`^# TYPE (${name}) (counter|gauge|histogram|summary|untyped)$`);
const number = String.raw`[+-]?(?:\d+(?:\.\d+)?(?:e[+-]?\d+)?|Inf)|NaN`;
const labels = String.raw`\{(${label}(?:,${label})*)\}`;
const sampleLine = new RegExp(`^(${name})(?:${labels})? (${number})$`);

export function parseScrape(text: string): Scrape {
  if (!text.endsWith('\n')) throw new Error('the last line has no end');
  const families = new Map<string, { type: string; series: Map<string, number> }>();
  const described = new Set<string>();
  let current = '';
  for (const line of text.slice(0, -1).split('\n')) {
    const [, helped] = helpLine.exec(line) ?? [];
    const [, typed, type] = typeLine.exec(line) ?? [];
    const [, sampled, labels = '', value] = sampleLine.exec(line) ?? [];
    if (helped !== undefined) {
      if (described.has(helped)) throw new Error(`described twice: ${helped}`);
      described.add(helped);
    } else if (typed !== undefined) {
      if (families.has(typed)) throw new Error(`typed twice: ${typed}`);
      families.set(typed, { type: type!, series: new Map() });
      current = typed;
    } else if (sampled !== undefined) {
      const family = families.get(sampled);
      if (family === undefined || sampled !== current) throw new Error(`out of place: ${line}`);
      if (family.series.has(labels)) throw new Error(`there twice: ${line}`);
      if (family.type === 'counter' && !(Number(value) >= 0)) throw new Error(`falls: ${line}`);
      family.series.set(labels, Number(value));
    } else throw new Error(`not of the format: ${line}`);
  }
  const mute = [...families.keys()].find((family) => !described.has(family));
  if (mute !== undefined) throw new Error(`says nothing of itself: ${mute}`);
  return families;
}
