import { createHash } from 'node:crypto';
import { graphDocumentSchema } from '../../../core/contract/clusters/cluster-body.ts';
import { ProblemError } from '../../../core/contract/problem.ts';
import type { FieldError } from '../../../core/contract/validation.ts';
import { checkBody } from '../../../core/contract/validation.ts';
import type { GraphDigest } from '../../../core/graph/digest.ts';
import { readCluster, type SubsystemSummary } from '../../../core/graph/read-cluster.ts';
import type { EdgeName } from '../../../core/model/names.ts';
import type {
  ClusterRecord,
  GraphDocuments,
  GraphSummary,
  StoredSubsystem,
} from '../../../core/ports/clusters.ts';
import { type PackedDocument, parsedOrNull } from '../http/json-body.ts';

/**
 * From documents to what is stored of a cluster. The graph and its subsystems are always read
 * together: the digest is of all of them.
 */
export type ClusterParts = {
  readonly nodes: PackedDocument;
  readonly subsystems: ReadonlyMap<string, PackedDocument>;
};

export type DescribedCluster = {
  readonly digest: GraphDigest;
  readonly graph: GraphSummary;
  readonly subsystems: readonly StoredSubsystem[];
};

export type Description =
  | { readonly kind: 'described'; readonly cluster: DescribedCluster }
  | {
      readonly kind: 'detached';
      readonly names: readonly string[];
      readonly errors: readonly FieldError[];
    };

/** Where in the request the documents are; those that it did not bring keep their names. */
export type Places = {
  readonly nodes: readonly string[];
  readonly subsystem: (name: string) => readonly string[];
};

export function hashOfDocument(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Refuses what is wrong with the graph; what does not fit it is for the caller to say. */
export function describeCluster(
  parts: ClusterParts,
  before: ClusterRecord | null,
  places: Places,
  nowMs: number,
): Description {
  for (const { value } of [parts.nodes, ...parts.subsystems.values()]) checkNesting(value);
  const documents = new Map([...parts.subsystems].map(([name, { value }]) => [name, value]));
  const reading = readCluster(parts.nodes.value, documents, places);
  if (reading.kind === 'refused') throw refusedGraph(reading.errors);
  if (reading.kind === 'detached') {
    const names = reading.subsystems.map(({ name }) => name);
    return { kind: 'detached', names, errors: reading.subsystems.flatMap(({ errors }) => errors) };
  }
  const { digest, subsystems } = reading.cluster;
  const hash = hashOfDocument(parts.nodes.bytes);
  const same = before?.graph?.hash === hash ? before.graph.registeredAtMs : nowMs;
  return {
    kind: 'described',
    cluster: {
      digest,
      graph: {
        vertices: digest.vertices,
        counts: Object.fromEntries(digest.counts),
        hash,
        registeredAtMs: same,
      },
      subsystems: subsystems.map((summary) =>
        storedSubsystem(summary, parts.subsystems.get(summary.name)!, before, nowMs),
      ),
    },
  };
}

/** Nesting without end and keys that no object should have, before anything is read. */
function checkNesting(value: unknown): void {
  const checked = checkBody(graphDocumentSchema, value);
  if (!checked.ok) throw refusedGraph(checked.errors);
}

export function refusedGraph(errors: readonly FieldError[]): ProblemError {
  const [first] = errors;
  const at = first === undefined || first.pointer === '' ? '' : ` at ${first.pointer}`;
  const detail = `The request is not valid${at}: ${first?.message ?? 'it is no graph.'}`;
  return new ProblemError('invalid-request', detail, { errors });
}

function storedSubsystem(
  summary: SubsystemSummary,
  document: PackedDocument,
  before: ClusterRecord | null,
  nowMs: number,
): StoredSubsystem {
  const hash = hashOfDocument(document.bytes);
  const known = before?.subsystems.find(({ name }) => name === summary.name);
  const registeredAtMs = known?.hash === hash ? known.registeredAtMs : nowMs;
  return { ...summary, hash, registeredAtMs };
}

/** Null for a document that is gone, as after the bucket was emptied by hand. */
export async function storedDocument(
  graphs: GraphDocuments,
  edge: EdgeName,
  hash: string,
): Promise<PackedDocument | null> {
  const bytes = await graphs.get(edge, hash);
  return bytes === null ? null : { bytes, value: parsedOrNull(bytes) };
}

/** The subsystems that are stored, without those whose document is gone. */
export async function storedSubsystems(
  graphs: GraphDocuments,
  record: ClusterRecord,
): Promise<ReadonlyMap<string, PackedDocument>> {
  const found = await Promise.all(
    record.subsystems.map(async ({ name, hash }) => {
      const document = await storedDocument(graphs, record.edge, hash);
      return document === null ? [] : [[name, document] as const];
    }),
  );
  return new Map(found.flat());
}
