import packageJson from '../package.json' with { type: 'json' };

/** The version of this client: that of the product, as the package says it. */
export const version: string = packageJson.version;
