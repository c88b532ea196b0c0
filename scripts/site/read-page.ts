import { Marked, type Tokens } from 'marked';
import { HeadingAnchors } from './heading-anchors.ts';
import { escapeHtml, textOfHtml } from './html-text.ts';
import { hrefBetween, readText, siteFileOf, type Target, targetOf } from './repository-paths.ts';

export type Section = {
  readonly level: number;
  readonly anchor: string;
  readonly title: string;
  /** What is below the heading, up to the next one. */
  readonly text: string;
};

/** One Markdown file of the repository as a page of the site. */
export type Page = {
  readonly path: string;
  readonly file: string;
  readonly title: string;
  readonly html: string;
  readonly sections: readonly Section[];
  readonly targets: readonly Target[];
};

type Reading = {
  readonly path: string;
  /** The address under which files that are not on the site can be seen, if there is one. */
  readonly source: string | null;
  readonly anchors: HeadingAnchors;
  readonly targets: Target[];
};

export function readPage(path: string, source: string | null): Page {
  const reading: Reading = { path, source, anchors: new HeadingAnchors(), targets: [] };
  const html = rendererFor(reading).parse(readText(path), { async: false });
  const sections = sectionsOf(html);
  const title = sections[0]?.title ?? path;
  return { path, file: siteFileOf(path), title, html, sections, targets: reading.targets };
}

function rendererFor(reading: Reading): Marked {
  return new Marked({
    gfm: true,
    renderer: {
      heading({ tokens, depth }: Tokens.Heading) {
        const words = this.parser.parseInline(tokens);
        const anchor = reading.anchors.next(textOfHeading(words));
        const link =
          depth > 1
            ? ` <a class="here" href="#${anchor}" aria-hidden="true" tabindex="-1">#</a>`
            : '';
        return `<h${depth} id="${anchor}">${words}${link}</h${depth}>\n`;
      },
      link({ href, tokens }: Tokens.Link) {
        const words = this.parser.parseInline(tokens);
        const address = addressOf(href, reading);
        return address === null ? words : `<a href="${escapeHtml(address)}">${words}</a>`;
      },
      image({ href, text }: Tokens.Image) {
        const target = targetOf(reading.path, href);
        reading.targets.push(target);
        const from = target.kind === 'file' ? localAddress(target.path, reading) : href;
        return `<img src="${escapeHtml(from)}" alt="${escapeHtml(text)}" loading="lazy">`;
      },
      code({ text, lang }: Tokens.Code) {
        const language = lang ? ` data-language="${escapeHtml(lang)}"` : '';
        return `<pre tabindex="0"${language}><code>${escapeHtml(text)}</code></pre>\n`;
      },
      table(token: Tokens.Table) {
        // A column without a name has no heading: the first cells of its rows are those.
        const cell = (name: 'th' | 'td') => (it: Tokens.TableCell) => {
          const words = this.parser.parseInline(it.tokens);
          const tag = words === '' ? 'td' : name;
          return `<${tag}>${words}</${tag}>`;
        };
        const head = token.header.map(cell('th')).join('');
        const rows = token.rows.map((row) => `<tr>${row.map(cell('td')).join('')}</tr>`);
        const body = `<thead><tr>${head}</tr></thead><tbody>${rows.join('\n')}</tbody>`;
        return `<div class="wide" tabindex="0"><table>${body}</table></div>\n`;
      },
    },
  });
}

/** As a forge counts it: code and links are their words, without the spaces that tags leave. */
function textOfHeading(html: string): string {
  return textOfHtml(html.replaceAll(/<\/?[a-z][^>]*>/g, ''));
}

function addressOf(href: string, reading: Reading): string | null {
  const target = targetOf(reading.path, href);
  reading.targets.push(target);
  if (target.kind === 'elsewhere') return target.href;
  if (target.kind === 'file') return fileAddress(target.path, reading);
  const anchor = target.anchor === '' ? '' : `#${target.anchor}`;
  if (target.path === reading.path) return anchor === '' ? '#' : anchor;
  return hrefBetween(siteFileOf(reading.path), siteFileOf(target.path)) + anchor;
}

/** Files beside the pages go with them; sources are named, and linked where they can be seen. */
function fileAddress(path: string, reading: Reading): string | null {
  if (path.startsWith('docs/')) return localAddress(path, reading);
  return reading.source === null ? null : new URL(path, reading.source).href;
}

function localAddress(path: string, reading: Reading): string {
  return hrefBetween(siteFileOf(reading.path), path.replace(/^docs\//, ''));
}

const headingPattern = /<h([1-6]) id="([^"]*)">(.*?)(?: <a class="here".*?<\/a>)?<\/h\1>/g;

function sectionsOf(html: string): Section[] {
  const found = [...html.matchAll(headingPattern)];
  return found.map((match, at) => ({
    level: Number(match[1]),
    anchor: match[2]!,
    title: textOfHeading(match[3]!),
    text: textOfHtml(html.slice(match.index + match[0].length, found[at + 1]?.index)),
  }));
}
