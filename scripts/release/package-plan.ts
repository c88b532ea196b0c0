import { join } from 'node:path';

/**
 * What is in the packages for Debian and Fedora and their kin, as the tool that makes them reads it
 * (nfpm). Two packages: the agent with its service, and the client with its completions.
 */
export type PackagePlan = {
  readonly name: 'edgewise' | 'edgewise-agent';
  readonly config: unknown;
};

export type PlanInput = {
  readonly version: string;
  /** The kind of machine as our binaries are named. */
  readonly architecture: 'x64' | 'arm64';
  /** Where the binaries and the completions are. */
  readonly built: string;
  /** The repository. */
  readonly root: string;
  /** The time of the commit: the same sources make the same packages. */
  readonly madeAt: string;
};

const maintainer = 'The Edgewise maintainers <maintainers@edgewise.invalid>';

const machines = { x64: 'amd64', arm64: 'arm64' } as const;

/** What Debian's tools read of the changes; the changelog that people read lies beside it. */
export function debianChangelog(name: string, version: string, madeAt: string): string {
  const day = new Date(madeAt).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) stable; urgency=medium

  * What is new is in CHANGELOG.md.gz, beside this file.

 -- ${maintainer}  ${day}
`;
}

export function packagePlans(input: PlanInput): PackagePlan[] {
  return [agentPlan(input), clientPlan(input)];
}

function agentPlan(input: PlanInput): PackagePlan {
  const { root, built, architecture } = input;
  const script = (name: string) => join(root, 'packaging', 'scripts', name);
  const file = fileOf(input);
  return {
    name: 'edgewise-agent',
    config: {
      ...common(input),
      name: 'edgewise-agent',
      description: [
        'Edge agent of Edgewise, a serverless scheduler for fleets',
        'Takes the work that its edge is given, runs it and reports, also through',
        'restarts and while it is cut off.',
      ].join('\n'),
      contents: [
        file(join(built, `edgewise-agent-linux-${architecture}`), '/usr/bin/edgewise-agent', 0o755),
        file(
          join(built, 'edgewise-agent.service'),
          '/usr/lib/systemd/system/edgewise-agent.service',
        ),
        {
          ...file(join(root, 'packaging', 'agent.env'), '/etc/edgewise/agent.env', 0o600),
          type: 'config|noreplace',
        },
        file(join(root, 'packaging', 'copyright'), '/usr/share/doc/edgewise-agent/copyright'),
        file(join(built, 'changelog.gz'), '/usr/share/doc/edgewise-agent/CHANGELOG.md.gz'),
        file(
          join(built, 'edgewise-agent.changelog.gz'),
          '/usr/share/doc/edgewise-agent/changelog.gz',
        ),
      ],
      scripts: {
        postinstall: script('after-install.sh'),
        preremove: script('before-removal.sh'),
        postremove: script('after-removal.sh'),
      },
      overrides: {
        deb: { depends: ['ca-certificates', 'libc6', 'passwd'] },
        rpm: { depends: ['ca-certificates', 'glibc', 'shadow-utils'] },
      },
    },
  };
}

function clientPlan(input: PlanInput): PackagePlan {
  const { root, built, architecture } = input;
  const file = fileOf(input);
  return {
    name: 'edgewise',
    config: {
      ...common(input),
      name: 'edgewise',
      description: [
        'Command line of Edgewise, a serverless scheduler for fleets',
        'Hands in jobs, follows them, fetches their results, and looks after edges.',
      ].join('\n'),
      contents: [
        file(join(built, `edgewise-linux-${architecture}`), '/usr/bin/edgewise', 0o755),
        file(join(built, 'completion.bash'), '/usr/share/bash-completion/completions/edgewise'),
        file(join(built, 'completion.zsh'), '/usr/share/zsh/vendor-completions/_edgewise'),
        file(join(built, 'completion.fish'), '/usr/share/fish/vendor_completions.d/edgewise.fish'),
        file(join(root, 'packaging', 'copyright'), '/usr/share/doc/edgewise/copyright'),
        file(join(built, 'changelog.gz'), '/usr/share/doc/edgewise/CHANGELOG.md.gz'),
        file(join(built, 'edgewise.changelog.gz'), '/usr/share/doc/edgewise/changelog.gz'),
      ],
      overrides: {
        deb: { depends: ['ca-certificates', 'libc6'] },
        rpm: { depends: ['ca-certificates', 'glibc'] },
      },
    },
  };
}

function common({ version, architecture, madeAt }: PlanInput) {
  return {
    version,
    version_schema: 'semver',
    arch: machines[architecture],
    platform: 'linux',
    section: 'admin',
    priority: 'optional',
    maintainer,
    vendor: 'Edgewise',
    license: 'Apache-2.0',
    mtime: madeAt,
    deb: { compression: 'gzip' },
    rpm: { compression: 'gzip', group: 'System Environment/Daemons', buildhost: 'edgewise' },
  };
}

function fileOf({ madeAt }: PlanInput) {
  return (src: string, dst: string, mode = 0o644) => ({
    src,
    dst,
    file_info: { mode, mtime: madeAt, owner: 'root', group: 'root' },
  });
}
