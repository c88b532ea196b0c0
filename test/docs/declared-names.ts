/**
 * Whether a source declares a function, a class, a constant, a type or a method of this name. By
 * its text: a name in a page is right or wrong whether or not anybody imports it.
 */
export function declares(source: string, name: string): boolean {
  const word = `(?<![\\w#])${name}(?![\\w$])`;
  const statement = new RegExp(
    `^ *(?:export )?(?:async )?(?:function\\*?|class|const|type) ${word}`,
    'm',
  );
  if (statement.test(source)) return true;
  const member = new RegExp(`^ +(?:(?:async|get|private|readonly|static) )*${word}`, 'gm');
  return [...source.matchAll(member)].some((match) =>
    isDeclaration(source.slice(match.index + match[0].length)),
  );
}

/** What comes behind the name: a value of its own, or parameters and a body. A call has no body. */
function isDeclaration(rest: string): boolean {
  if (/^(: \w*\(|: (async )?\(| = (async )?\(|: async )/.test(rest)) return true;
  const open = /^(?:<[^>]*>)?\(/.exec(rest);
  if (open === null) return false;
  let depth = 1;
  let at = open[0].length;
  while (at < rest.length && depth > 0) {
    if (rest[at] === '(') depth++;
    else if (rest[at] === ')') depth--;
    at++;
  }
  return /^(?:: [^;=]*?)? \{\n/.test(rest.slice(at));
}
