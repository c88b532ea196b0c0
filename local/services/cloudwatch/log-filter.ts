/**
 * Filter patterns of CloudWatch Logs, those of words
 * (https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html): all of
 * `a "b c"`, any of `?a ?b`, none of `-a`. Patterns for JSON and for fields are refused.
 */
export type LogFilter = (message: string) => boolean;

/** Undefined for a pattern that is not of words. */
export function logFilter(pattern: string): LogFilter | undefined {
  const trimmed = pattern.trim();
  if (/^[{[%]/.test(trimmed)) return undefined;
  const terms = [...trimmed.matchAll(/([?-]?)(?:"((?:[^"\\]|\\.)*)"|(\S+))/g)].map(
    ([, sign = '', quoted, plain = '']) => ({
      sign,
      text: quoted === undefined ? plain : quoted.replace(/\\(.)/g, '$1'),
    }),
  );
  const of = (sign: string) => terms.filter((term) => term.sign === sign).map(({ text }) => text);
  const [all, any, none] = [of(''), of('?'), of('-')];
  return (message) =>
    all.every((text) => message.includes(text)) &&
    (any.length === 0 || any.some((text) => message.includes(text))) &&
    !none.some((text) => message.includes(text));
}
