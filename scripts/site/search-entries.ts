import type { Page } from './read-page.ts';

/** What the search field looks through: `[page, anchor, heading, text]`, page by number. */
export type SearchEntries = {
  readonly pages: readonly (readonly [file: string, title: string])[];
  readonly sections: readonly (readonly [
    page: number,
    anchor: string,
    heading: string,
    text: string,
  ])[];
};

export function searchEntries(pages: readonly Page[]): SearchEntries {
  return {
    pages: pages.map(({ file, title }) => [file, title] as const),
    sections: pages.flatMap(({ sections }, page) =>
      sections.map(({ anchor, title, text }) => [page, anchor, title, text] as const),
    ),
  };
}

/** As a script and not as JSON: a page that was opened from a disk may load no other kind. */
export function searchScript(pages: readonly Page[]): string {
  const json = JSON.stringify(searchEntries(pages)).replaceAll('<', '\\u003c');
  return `window.edgewiseSearch(${json});\n`;
}
