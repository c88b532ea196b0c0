import * as z from 'zod';
import { clashOf, pathProblem } from '../../files/file-path.ts';
import { inputUrlProblem } from '../../files/input-url.ts';
import {
  fileAddressesMax,
  fileBytesMax,
  filePartBytes,
  filePartsMax,
  filePutBytesMax,
  filesAskedMax,
  inputsMax,
  inputUrlLengthMax,
} from '../../files/limits.ts';
import { digestPattern } from '../../files/manifest.ts';
import type { JobInput } from '../../model/job.ts';
import { chunksMax } from '../../model/limits.ts';
import { hasNamedDigest } from '../../sweeps/fill-inputs.ts';
import { nameSchema, text, timeSchema, whole } from '../text-schema.ts';

/** Files that jobs need: how they are stored, looked for, named by jobs and fetched. */

export const digestSchema = z
  .string()
  .regex(digestPattern, { error: 'A SHA-256 is 64 lower-case hexadecimal digits.' })
  .meta({ description: 'The SHA-256 of a file, in hexadecimal.' });

const poolSchema = nameSchema.optional().meta({
  description: 'Whose files; that of the token, or else "default".',
});
/** What is put in one piece. */
const bytesSchema = whole(0, filePutBytesMax);

/** Of a file that may be sent in parts. */
export const fileInPartsFields = {
  sha256: digestSchema,
  bytes: whole(0, fileBytesMax),
  parts: z
    .array(digestSchema)
    .min(1)
    .max(filePartsMax)
    .optional()
    .meta({
      description:
        `To send it in parts, the SHA-256 of each ${filePartBytes} bytes of it, in order; ` +
        'what is larger than 5 GB is sent so.',
    }),
};

export function checkParts(
  { bytes, parts }: { readonly bytes: number; readonly parts?: readonly string[] | undefined },
  context: z.RefinementCtx,
): void {
  const issue = (message: string) => context.addIssue({ code: 'custom', path: ['parts'], message });
  const wanted = Math.max(1, Math.ceil(bytes / filePartBytes));
  if (parts === undefined) {
    if (bytes <= filePutBytesMax) return;
    issue(`It is larger than ${filePutBytesMax} bytes: say the SHA-256 of each of its parts.`);
  } else if (parts.length !== wanted) {
    issue(`${bytes} bytes are ${wanted} parts of ${filePartBytes} bytes.`);
  }
}

export const fileBodySchema = z
  .strictObject({ ...fileInPartsFields, pool: poolSchema })
  .superRefine(checkParts)
  .meta({ id: 'FileBody' });

export const uploadsBodySchema = z
  .strictObject({
    files: z
      .array(z.strictObject({ sha256: digestSchema, bytes: bytesSchema }))
      .min(1)
      .max(fileAddressesMax),
    pool: poolSchema,
  })
  .meta({ id: 'UploadsBody' });

export const missingBodySchema = z
  .strictObject({ sha256: z.array(digestSchema).min(1).max(filesAskedMax), pool: poolSchema })
  .meta({ id: 'MissingBody' });

export const addressesBodySchema = z
  .strictObject({
    sha256: z.array(digestSchema).min(1).max(fileAddressesMax),
    job: nameSchema.optional().meta({ description: 'Edges name the job that needs them.' }),
    chunk: whole(0, chunksMax)
      .optional()
      .meta({ description: 'And the chunk, where its parameters say which files it needs.' }),
    pool: poolSchema,
  })
  .meta({ id: 'AddressesBody' });

export const storedFileSchema = z
  .strictObject({ sha256: digestSchema, present: z.literal(true) })
  .meta({ id: 'StoredFile', description: 'It is there, and nothing has to be sent.' });

export const uploadSchema = z
  .strictObject({
    sha256: digestSchema,
    present: z.literal(false),
    uploadUrl: z.string(),
    headers: z.record(z.string(), z.string()),
    expiresAt: timeSchema,
  })
  .meta({
    id: 'Upload',
    description: 'PUT the bytes to this address, with these headers; other bytes are refused.',
  });

export const partsUploadSchema = z
  .strictObject({
    sha256: digestSchema,
    present: z.literal(false),
    uploadId: z.string().meta({ description: 'Of the upload that is under way.' }),
    partBytes: z.int().meta({ description: 'How long each part is but the last.' }),
    parts: z
      .array(
        z.strictObject({
          number: z.int().meta({ description: 'Its place, from 1.' }),
          uploadUrl: z.string(),
          headers: z.record(z.string(), z.string()),
        }),
      )
      .meta({ description: 'Those that are not there, the first hundred of them.' }),
    expiresAt: timeSchema,
  })
  .meta({
    id: 'PartsUpload',
    description: 'PUT these parts, and ask again: when all are there the file is stored.',
  });

export const fileUploadSchema = z
  .union([uploadSchema, partsUploadSchema])
  .meta({ id: 'FileUpload', description: 'Where it is put, in one piece or in parts.' });

export const uploadsSchema = z
  .strictObject({ items: z.array(z.union([storedFileSchema, uploadSchema])) })
  .meta({ id: 'Uploads' });

export const missingSchema = z
  .strictObject({ missing: z.array(digestSchema) })
  .meta({ id: 'Missing' });

export const addressesSchema = z
  .strictObject({
    items: z.array(
      z.strictObject({ sha256: digestSchema, url: z.string(), expiresAt: timeSchema }),
    ),
    missing: z.array(digestSchema),
  })
  .meta({ id: 'Addresses', description: 'Where each can be read; ranges are answered.' });

export const resultUploadsSchema = z
  .strictObject({ items: z.array(z.union([storedFileSchema, uploadSchema, partsUploadSchema])) })
  .meta({ id: 'ResultUploads' });

export type UploadAnswer = z.output<typeof uploadsSchema>['items'][number];
export type PartsUploadAnswer =
  | z.output<typeof storedFileSchema>
  | z.output<typeof partsUploadSchema>;
export type AddressesAnswer = z.output<typeof addressesSchema>;

/** The two directories that every chunk finds in its own. */
const taken: ReadonlySet<string> = new Set(['input', 'output']);

/** A tree may be named as people write a directory. */
const pathOf = ({ path }: { readonly path: string }): string => path.replace(/\/$/, '');

/** Or a parameter of the chunk, which says it. */
const inputDigestSchema = z.string().regex(/^([0-9a-f]{64}|\{[A-Za-z][A-Za-z0-9_.-]*\})$/, {
  error: 'A SHA-256 is 64 lower-case hexadecimal digits, or the name of a parameter in braces.',
});

const inputSchema = z
  .strictObject({
    path: text(1_100).meta({ description: 'Below the directory of the chunk.' }),
    sha256: inputDigestSchema.optional().meta({
      description: 'The SHA-256 of a file, or the parameter that says it, in braces.',
    }),
    url: text(inputUrlLengthMax).optional().meta({
      description: 'Where edges fetch it, in place of the files that are stored here.',
    }),
    manifest: inputDigestSchema.optional().meta({
      description: 'The digest of a list of files, or the parameter that says it, in braces.',
    }),
    writable: z.boolean().optional().meta({ description: 'A copy that the chunk may change.' }),
    executable: z.boolean().optional().meta({ description: 'A file that may be run.' }),
    unpack: z.enum(['tar.gz']).optional().meta({
      description: 'An archive: what is in it lies below the path.',
    }),
  })
  .superRefine((input, context) => {
    const issue = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message });
    if ((input.sha256 === undefined) === (input.manifest === undefined)) {
      issue('sha256', 'An input has exactly one of "sha256" and "manifest".');
    }
    const urlProblem = input.url === undefined ? null : inputUrlProblem(input.url);
    if (urlProblem !== null) issue('url', `This address ${urlProblem}.`);
    if (input.url !== undefined && input.sha256 === undefined) {
      issue('url', 'A file that is fetched elsewhere has a "sha256", by which it is known.');
    }
    if (input.url !== undefined && hasNamedDigest(input as JobInput)) {
      issue('sha256', 'The digest of a file that is fetched elsewhere is written out.');
    }
    const isArchive = input.unpack !== undefined;
    if (isArchive && input.sha256 === undefined) {
      issue('unpack', 'Only a file that has a "sha256" can be an archive.');
    }
    const isTree = input.manifest !== undefined || isArchive;
    if (isTree && input.executable !== undefined) {
      const whole = isArchive ? 'An archive' : 'A list of files';
      issue('executable', `${whole} says of each of its files whether it may be run.`);
    }
    const path = isTree ? pathOf(input) : input.path;
    const problem = pathProblem(path);
    if (problem !== null) issue('path', `This path ${problem}.`);
    else if (!isTree && taken.has(path)) issue('path', `Every chunk has a directory "${path}".`);
  });

export const inputsSchema = z
  .array(inputSchema)
  .max(inputsMax)
  .superRefine((inputs, context) => {
    const clash = clashOf(inputs.map(pathOf));
    if (clash === null) return;
    const message = `"${clash[0]}" and "${clash[1]}" cannot both be there.`;
    context.addIssue({ code: 'custom', message });
  })
  .meta({ id: 'Inputs', description: 'Files that every chunk finds in its directory.' });
