import packageJson from '../../package.json' with { type: 'json' };

/** What `--version` prints and the facts tell: the version of the product, as its package says. */
export const agentVersion: string = packageJson.version;
