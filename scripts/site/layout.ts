import { escapeHtml } from './html-text.ts';
import type { Group } from './navigation.ts';
import type { Page } from './read-page.ts';
import { hrefBetween } from './repository-paths.ts';

/** A whole page: its frame, its menu, its words. It is complete without a script. */
export type Frame = {
  readonly groups: readonly Group[];
  readonly pages: ReadonlyMap<string, Page>;
  readonly version: string;
};

const mark =
  '<svg class="mark" viewBox="0 0 20 20" aria-hidden="true">' +
  '<rect class="a" width="9" height="9" rx="2"/>' +
  '<rect class="b" x="11" width="9" height="9" rx="2"/>' +
  '<rect class="c" y="11" width="9" height="9" rx="2"/>' +
  '<rect class="a" x="11" y="11" width="9" height="9" rx="2"/></svg>';

/** Nothing from outside, and no script but the site's own. */
const policy = "default-src 'none'; img-src 'self' data:; style-src 'self'; script-src 'self'";

export function htmlOf(page: Page, frame: Frame): string {
  const to = (file: string) => escapeHtml(hrefBetween(page.file, file));
  const top = hrefBetween(page.file, 'index.html').replace(/index\.html$/, '');
  const title = page.file === 'index.html' ? 'Edgewise' : `${page.title} · Edgewise`;
  return `<!doctype html>
<html lang="en" data-top="${top}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="content-security-policy" content="${policy}">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="${to('assets/favicon.svg')}">
<link rel="stylesheet" href="${to('assets/tokens.css')}">
<link rel="stylesheet" href="${to('assets/site.css')}">
<link rel="stylesheet" href="${to('assets/search.css')}">
<script defer src="${to('assets/site.js')}"></script>
</head>
<body>
<a class="skip" href="#content">To the text</a>
<header class="bar">
<a class="brand" href="${to('index.html')}">${mark}<span>Edgewise</span></a>
<div class="search" hidden></div>
<span class="version">${escapeHtml(frame.version)}</span>
</header>
<div class="frame">
<nav class="menu" aria-label="Pages">
<details open><summary>Pages</summary>
${frame.groups.map((group) => menuGroup(group, page, frame)).join('\n')}
</details>
</nav>
<main id="content" tabindex="-1">
<article>
${page.html}</article>
${turns(page, frame)}
</main>
${contents(page)}
</div>
</body>
</html>
`;
}

function menuGroup({ title, paths }: Group, page: Page, { pages }: Frame): string {
  const items = paths.map((path) => {
    const to = pages.get(path)!;
    const here = path === page.path ? ' aria-current="page"' : '';
    const words = escapeHtml(shortTitle(to.title));
    return `<li><a href="${escapeHtml(hrefBetween(page.file, to.file))}"${here}>${words}</a></li>`;
  });
  return `<p class="group">${escapeHtml(title)}</p>\n<ul>\n${items.join('\n')}\n</ul>`;
}

/** A menu has room for the beginning of a title. */
function shortTitle(title: string): string {
  return title.split(/[:,] /)[0]!;
}

/** The page before and the page after, in the order of the menu. */
function turns(page: Page, { groups, pages }: Frame): string {
  const order = [...new Set(groups.flatMap(({ paths }) => paths))];
  const at = order.indexOf(page.path);
  if (at < 0) return '';
  const link = (path: string | undefined, way: 'prev' | 'next') => {
    if (path === undefined) return '<span></span>';
    const { file, title } = pages.get(path)!;
    const arrow = way === 'prev' ? '← ' : '';
    const after = way === 'next' ? ' →' : '';
    const href = escapeHtml(hrefBetween(page.file, file));
    return `<a rel="${way}" href="${href}">${arrow}${escapeHtml(shortTitle(title))}${after}</a>`;
  };
  const before = link(order[at - 1], 'prev');
  return `<nav class="turns" aria-label="Next pages">${before}${link(order[at + 1], 'next')}</nav>`;
}

/** The headings of a page that has several. */
function contents({ sections }: Page): string {
  const shown = sections.filter(({ level }) => level === 2 || level === 3);
  if (shown.length < 3) return '<span></span>';
  const items = shown.map(({ level, anchor, title }) => {
    const words = escapeHtml(title);
    return `<li class="level-${level}"><a href="#${escapeHtml(anchor)}">${words}</a></li>`;
  });
  return `<nav class="contents" aria-label="On this page"><p class="group">On this page</p>
<ul>
${items.join('\n')}
</ul></nav>`;
}
