import axe from 'axe-core';
import type { Page } from 'playwright-core';

/** Runs axe in the page as it is shown now; one line for each violation, none when all is well. */
type Violation = {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
};

export async function violations(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found = (await page.evaluate('axe.run().then((r) => r.violations)')) as Violation[];
  return found.map(({ id, help, nodes }) => {
    const first = nodes[0];
    return `${id}: ${help} (${nodes.length}) ${first?.html} ${first?.failureSummary ?? ''}`;
  });
}
