import { expect, test } from 'vitest';
import { type Build, provenanceOf } from '../../../scripts/supply-chain/provenance.ts';

const build: Build = {
  files: [{ name: 'edgewise-agent-linux-x64', sha256: 'ab'.repeat(32) }],
  architectures: ['x64'],
  source: { commit: 'c0ffee', isChanged: false },
  lockFileSha256: 'cd'.repeat(32),
  compiler: { name: 'bun', version: '1.2.3' },
  environment: {},
};

test('it is a statement about the files, with the commit that they were made of', () => {
  const statement = provenanceOf(build);
  expect(statement).toMatchObject({
    _type: 'https://in-toto.io/Statement/v1',
    predicateType: 'https://slsa.dev/provenance/v1',
    subject: [{ name: 'edgewise-agent-linux-x64', digest: { sha256: 'ab'.repeat(32) } }],
  });
  const { buildDefinition, runDetails } = statement.predicate;
  expect(buildDefinition.resolvedDependencies).toEqual([
    { name: 'source', digest: { gitCommit: 'c0ffee' } },
    { name: 'package-lock.json', digest: { sha256: 'cd'.repeat(32) } },
    { name: 'bun', uri: 'pkg:npm/bun@1.2.3' },
  ]);
  for (const uri of [buildDefinition.buildType, runDetails.builder.id]) {
    expect(URL.canParse(uri)).toBe(true);
  }
});

test('a forge is named with its run; another environment says nothing', () => {
  const environment = {
    GITHUB_SERVER_URL: 'https://forge.test',
    GITHUB_REPOSITORY: 'them/edgewise',
    GITHUB_WORKFLOW_REF: 'them/edgewise/.github/workflows/ci.yml@refs/tags/v1',
    GITHUB_RUN_ID: '7',
    AWS_SECRET_ACCESS_KEY: 'secret',
  };
  const statement = provenanceOf({ ...build, environment });
  expect(statement.predicate.runDetails).toEqual({
    builder: { id: 'https://forge.test/them/edgewise/.github/workflows/ci.yml@refs/tags/v1' },
    metadata: { invocationId: 'https://forge.test/them/edgewise/actions/runs/7' },
  });
  const [source] = statement.predicate.buildDefinition.resolvedDependencies;
  expect(source).toMatchObject({ uri: 'git+https://forge.test/them/edgewise' });
  expect(JSON.stringify(statement)).not.toContain('secret');
});

test('sources that were changed, or are no clone, are not passed off as a commit', () => {
  const changed = provenanceOf({ ...build, source: { commit: 'c0ffee', isChanged: true } });
  expect(changed.predicate.runDetails.metadata).toEqual({ edgewise_changedSinceCommit: true });
  const archive = provenanceOf({ ...build, source: null });
  const names = archive.predicate.buildDefinition.resolvedDependencies.map(({ name }) => name);
  expect(names).toEqual(['package-lock.json', 'bun']);
});
