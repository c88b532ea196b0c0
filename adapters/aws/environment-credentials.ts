/**
 * Credentials as a Lambda function has them: in its environment, for as long as it lives. Where a
 * bundle holds the SDK this takes the place of its own search through profiles, metadata services
 * and sign-ins (`lib/frame/bundle.ts`), where those could never answer and would be a third of the
 * code to load at each start.
 */
export type Credentials = {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
};

export function environmentCredentials(): Credentials {
  const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (AWS_ACCESS_KEY_ID === undefined || AWS_SECRET_ACCESS_KEY === undefined) {
    throw new Error('the environment holds no credentials');
  }
  return {
    accessKeyId: AWS_ACCESS_KEY_ID,
    secretAccessKey: AWS_SECRET_ACCESS_KEY,
    ...(AWS_SESSION_TOKEN === undefined ? {} : { sessionToken: AWS_SESSION_TOKEN }),
  };
}

/** Named as the package it stands in for names it. */
export function defaultProvider(): () => Promise<Credentials> {
  return async () => environmentCredentials();
}
