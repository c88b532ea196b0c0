import { ofType, type Resources, within } from './resources.ts';

/** What a secret is made of, and what it is called. */

/** Whatever of these is in a token, some header, shell or file takes for something else. */
const punctuation = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

/**
 * A generated secret is a token here, which goes into `Authorization: Bearer …` (RFC 6750, 2.1,
 * names the few signs that may be in there): "If you don't include this switch, the password can
 * contain punctuation" (`ExcludePunctuation` in the reference of `GenerateSecretString`; programs
 * that fell over it: aws/aws-cdk#8006). Said by `ExcludeCharacters` as well, because the switch is
 * not known to everything that takes a template: MiniStack 1.5.33 reads the characters only.
 */
export function tokensHaveNoPunctuation(resources: Resources): string[] {
  return ofType(resources, 'AWS::SecretsManager::Secret').flatMap(([id, { Properties }]) => {
    const how = Properties?.GenerateSecretString;
    if (how === undefined) return [];
    const excluded = String(within(how, 'ExcludeCharacters') ?? '');
    const missed = [...punctuation].filter((sign) => !excluded.includes(sign));
    return [
      ...(within(how, 'ExcludePunctuation') === true ? [] : [`${id} has no ExcludePunctuation`]),
      ...(missed.length === 0 ? [] : [`${id} has no ExcludeCharacters with ${missed.join('')}`]),
    ].map((finding) => `${finding}: no token may hold what a header cannot`);
  });
}

/**
 * A policy or a function that names a secret by `Ref` gets its ARN from CloudFormation
 * ("Return values" in the reference of the type) and its name from others, which opens nothing;
 * `Fn::GetAtt` of `Id` is the ARN everywhere.
 */
export function secretsAreKnownByTheirId(resources: Resources): string[] {
  const secrets = ofType(resources, 'AWS::SecretsManager::Secret').map(([id]) => id);
  return Object.entries(resources).flatMap(([id, { Properties }]) =>
    secrets
      .filter((secret) => namesByRef(Properties, secret))
      .map((secret) => `${id} takes the secret ${secret} by Ref; Fn::GetAtt of Id is its ARN`),
  );
}

function namesByRef(value: unknown, id: string): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).some(([key, item]) =>
    key === 'Ref' ? item === id : namesByRef(item, id),
  );
}
