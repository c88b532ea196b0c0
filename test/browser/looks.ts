import type { BrowserContextOptions, Page } from 'playwright-core';

/** How pages are looked at: in the light, in the dark, and on a phone. */
const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };

export const looks: readonly [name: string, options: BrowserContextOptions][] = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', phone],
];

/** How much wider the page is than its window. */
export const overflow =
  'document.documentElement.scrollWidth - document.documentElement.clientWidth';

/** A picture of the whole page, where somebody asked for one. */
export async function look(page: Page, name: string): Promise<void> {
  const { SCREENSHOTS: directory } = process.env;
  if (directory !== undefined) {
    await page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
  }
}
