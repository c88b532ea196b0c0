import { firstPage } from './collect-pages.ts';
import { readText, targetOf } from './repository-paths.ts';

/** The groups of the menu: the headings of the first page, with the pages that each links to. */
export type Group = { readonly title: string; readonly paths: readonly string[] };

const linkPattern = /\]\(([^()\s]+)\)/g;

export function navigation(): Group[] {
  const [, ...parts] = readText(firstPage).split(/^## /m);
  return parts.map((part) => {
    const title = part.slice(0, part.indexOf('\n')).trim();
    const links = [...part.matchAll(linkPattern)].map((match) => targetOf(firstPage, match[1]!));
    const paths = links.flatMap((target) => (target.kind === 'page' ? [target.path] : []));
    return { title, paths: [...new Set(paths)] };
  });
}
