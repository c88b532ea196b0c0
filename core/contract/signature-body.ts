import * as z from 'zod';

/** Raw bytes of Ed25519 in base64url: 32 of a public key, 64 of a signature. */
const keyPattern = /^[A-Za-z0-9_-]{43}$/;
const valuePattern = /^[A-Za-z0-9_-]{86}$/;

/** What `edgewise sign` adds to a job. Whether it fits is for edges to say, which know the keys. */
export const signatureSchema = z
  .strictObject({
    key: z.string().regex(keyPattern, { error: 'A public key has 43 characters of base64url.' }),
    value: z.string().regex(valuePattern, { error: 'A signature has 86 characters of base64url.' }),
    until: z.iso
      .datetime({ error: 'This must be an instant such as 2026-01-31T12:00:00Z.' })
      .nullable()
      .default(null),
  })
  .meta({
    id: 'JobSignature',
    description: 'Ed25519 over what decides what a job runs, for edges that ask for one.',
  });
