import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { root } from '../repository.mjs';

/** What a link of a page means within the repository. */
export type Target =
  | { readonly kind: 'elsewhere'; readonly href: string }
  | { readonly kind: 'page'; readonly path: string; readonly anchor: string }
  | { readonly kind: 'file'; readonly path: string };

const scheme = /^[a-z][a-z0-9+.-]*:/i;

/** `from` is the page that links, by its path from the root. */
export function targetOf(from: string, href: string): Target {
  if (scheme.test(href)) return { kind: 'elsewhere', href };
  const [file = '', anchor = ''] = href.split('#');
  const path = file === '' ? from : posix.normalize(posix.join(posix.dirname(from), file));
  if (!path.endsWith('.md')) return { kind: 'file', path };
  return { kind: 'page', path, anchor };
}

/** Where a page stands on the site: `docs/` is its root, and a README the page of its folder. */
export function siteFileOf(path: string): string {
  if (path === 'README.md') return 'readme.html';
  const within = path.replace(/^docs\//, '');
  return within.replace(/(^|\/)README\.md$/, '$1index.html').replace(/\.md$/, '.html');
}

/** The address of one file of the site as another links it. */
export function hrefBetween(from: string, to: string): string {
  const relative = posix.relative(posix.dirname(from), to);
  return relative === '' ? posix.basename(to) : relative;
}

export function readText(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

export function isFile(path: string): boolean {
  const full = join(root, path);
  return existsSync(full) && statSync(full).isFile();
}
