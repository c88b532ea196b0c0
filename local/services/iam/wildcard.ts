/** IAM's patterns: `*` is any text, `?` is one character; everything else is literal. */
const compiled = new Map<string, RegExp>();

export function matchesPattern(pattern: string, text: string, foldCase = false): boolean {
  if (pattern === '*') return true;
  if (!/[*?]/.test(pattern)) {
    return foldCase ? pattern.toLowerCase() === text.toLowerCase() : pattern === text;
  }
  const key = foldCase ? `i:${pattern}` : pattern;
  let expression = compiled.get(key);
  if (expression === undefined) {
    const source = pattern
      .replace(/[.+^${}()|[\]\\]/g, '\\$&')
      .replaceAll('*', '.*')
      .replaceAll('?', '.');
    expression = new RegExp(`^${source}$`, foldCase ? 'is' : 's');
    compiled.set(key, expression);
  }
  return expression.test(text);
}
