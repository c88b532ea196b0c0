import { readFileSync } from 'node:fs';

type Resource = {
  readonly Type: string;
  readonly Properties: { readonly Code?: { readonly S3Key?: string } };
};

/** The resources of a template as an app has written it. */
export function resourcesIn(path: string): readonly Resource[] {
  const { Resources } = JSON.parse(readFileSync(path, 'utf8'));
  return Object.values(Resources);
}
