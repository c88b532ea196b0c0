import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long start first, so that nobody waits for the last one alone. A fresh clone has
 * not measured any: those that say so in their names, `*.long.test.ts`, are first in any case.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => (moduleId.endsWith('.long.test.ts') ? 0 : 1);
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
