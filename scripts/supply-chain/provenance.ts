/**
 * Where built files come from, as an in-toto statement with SLSA's provenance: the files by their
 * digests, what they were made of, and by whom. It is not signed here, because a key on the machine
 * that builds would prove nothing; a forge that signs attestations signs this one.
 */
export type BuiltFile = { readonly name: string; readonly sha256: string };

export type Build = {
  readonly files: readonly BuiltFile[];
  /** What was asked for: the kinds of machines. */
  readonly architectures: readonly string[];
  /** `null` outside of a clone. */
  readonly source: { readonly commit: string; readonly isChanged: boolean } | null;
  readonly lockFileSha256: string;
  readonly compiler: { readonly name: string; readonly version: string };
  /** What a forge says of the run in its environment; empty elsewhere. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

export const buildType = 'urn:edgewise:build-agent:v1';

export function provenanceOf(build: Build) {
  const { files, architectures, source, lockFileSha256, compiler, environment } = build;
  const forge = forgeOf(environment);
  const commit =
    source === null
      ? []
      : [
          {
            name: 'source',
            ...(forge === null ? {} : { uri: `git+${forge.repository}` }),
            digest: { gitCommit: source.commit },
          },
        ];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject: files.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: { architectures },
        internalParameters: { compiler: `${compiler.name} ${compiler.version}` },
        resolvedDependencies: [
          ...commit,
          { name: 'package-lock.json', digest: { sha256: lockFileSha256 } },
          { name: compiler.name, uri: `pkg:npm/${compiler.name}@${compiler.version}` },
        ],
      },
      runDetails: {
        builder: { id: forge?.builder ?? 'urn:edgewise:builder:somebody' },
        metadata: {
          ...(forge === null ? {} : { invocationId: forge.run }),
          // Of a clone with changes the commit is not all that was built.
          ...(source?.isChanged === true ? { edgewise_changedSinceCommit: true } : {}),
        },
      },
    },
  };
}

function forgeOf(environment: Build['environment']) {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: name } = environment;
  const { GITHUB_WORKFLOW_REF: workflow, GITHUB_RUN_ID: run } = environment;
  if (server === undefined || name === undefined) return null;
  const repository = `${server}/${name}`;
  return {
    repository,
    builder: `${server}/${workflow ?? name}`,
    run: `${repository}/actions/runs/${run ?? 'unknown'}`,
  };
}
