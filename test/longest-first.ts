import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * Files that take long start first, so that nobody waits for the last one alone. A fresh clone has
 * not measured any: these are known.
 */
const longest = [
  'test/flow/edge-agent/killed-agent.test.ts',
  'test/flow/power-cuts.test.ts',
  'test/flow/killed-plane.test.ts',
  'test/flow/start/start.test.ts',
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? longest.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}
