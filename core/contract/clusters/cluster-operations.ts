import { edgeSchema } from '../edge-answer.ts';
import { tokenSchema } from '../fleet-body.ts';
import {
  type Body,
  bodyProblems,
  edit,
  missing,
  type Operation,
  once,
  paging,
} from '../operation.ts';
import type { ProblemCode } from '../problem.ts';
import * as clusters from './cluster-body.ts';
import * as offers from './offer-body.ts';

/** What clusters say of themselves, and who may submit to them. */
const graphBody: Body = { schema: clusters.graphDocumentSchema };
const graphProblems: readonly ProblemCode[] = [...edit, 'invalid-json'];

export const clusterOperations: Readonly<Record<string, Operation>> = {
  getNodes: {
    summary: 'Read the graph of a cluster, as it was sent',
    tag: 'edges',
    headers: ['if-none-match'],
    answers: { 200: clusters.graphDocumentSchema, 304: null },
    problems: missing,
  },
  putNodes: {
    summary: 'Give an edge a graph, or another one; packed a body is application/gzip',
    tag: 'edges',
    query: { detach: 'true drops subsystems that do not fit the new graph' },
    headers: ['if-match', 'if-none-match'],
    body: graphBody,
    answers: { 200: edgeSchema },
    problems: [...graphProblems, 'subsystem-detached', 'conflict'],
  },
  uploadNodes: {
    summary: 'Where a graph above 256 KB is put; its token is then sent as the graph',
    tag: 'edges',
    body: { schema: clusters.nodesUploadBodySchema },
    answers: { 201: clusters.nodesUploadSchema },
    problems: [...bodyProblems, 'not-found'],
  },
  removeNodes: {
    summary: 'Make a cluster a plain edge again',
    tag: 'edges',
    headers: ['if-match'],
    answers: { 204: null },
    problems: [...missing, 'precondition-failed'],
  },
  listSubsystems: {
    summary: 'List the subsystems of a cluster',
    tag: 'edges',
    query: paging,
    answers: { 200: clusters.subsystemListSchema },
    problems: missing,
  },
  getSubsystem: {
    summary: 'Read a subsystem, as it was sent',
    tag: 'edges',
    headers: ['if-none-match'],
    answers: { 200: clusters.graphDocumentSchema, 304: null },
    problems: missing,
  },
  putSubsystem: {
    summary: 'Give a cluster a subsystem, or another one of its name',
    tag: 'edges',
    headers: ['if-match', 'if-none-match'],
    body: graphBody,
    answers: { 200: clusters.subsystemSchema, 201: clusters.subsystemSchema },
    problems: [...graphProblems, 'conflict'],
  },
  removeSubsystem: {
    summary: 'Take a subsystem away',
    tag: 'edges',
    headers: ['if-match'],
    answers: { 204: null },
    problems: [...missing, 'precondition-failed'],
  },
  getState: {
    summary: 'Read the state of a cluster',
    tag: 'edges',
    headers: ['if-none-match'],
    answers: { 200: clusters.stateSchema, 304: null },
    problems: missing,
  },
  putState: {
    summary: 'Merge figures into the state of a cluster, by which one is chosen',
    tag: 'edges',
    query: { ttlSeconds: 'the keys that are sent fall away after so long' },
    headers: ['if-match'],
    body: { schema: clusters.stateBodySchema },
    answers: { 200: clusters.stateSchema },
    problems: edit,
  },
  listOffers: {
    summary: 'Read what an edge in pull mode may take; reserves nothing',
    tag: 'edges',
    query: {
      max: 'at most so many in all',
      maxNodes: 'of no more nodes',
      maxCores: 'of no more cores a task',
      maxSeconds: 'with a deadline that is no later',
      queue: 'only of this queue',
      label: 'key=value; of several all must match',
      fits: 'true: only what there is room for now; some: for a part of it',
      summary: 'true: figures in place of items',
      waitSeconds: '0 to 25: answer when something is offered, or then',
      limit: '1 to 500, 50 by default; a page of large items may hold fewer',
      cursor: 'from the page before',
    },
    answers: { 200: offers.offersSchema },
    problems: missing,
  },
  acceptOffers: {
    summary: 'Take offers (edges): each job goes to exactly one',
    tag: 'edges',
    headers: ['idempotency-key'],
    body: { schema: offers.acceptBodySchema },
    answers: { 200: offers.acceptAnswerSchema },
    problems: [...bodyProblems, ...once],
  },
  releaseWork: {
    summary: 'Give back what has not begun (edges); it is offered again at once',
    tag: 'edges',
    body: { schema: offers.releaseBodySchema },
    answers: { 200: offers.releaseAnswerSchema },
    problems: bodyProblems,
  },
  createSubmitToken: {
    summary: 'Make one more token that submits to this cluster',
    tag: 'edges',
    headers: ['idempotency-key'],
    body: { schema: clusters.submitTokenBodySchema },
    answers: { 201: tokenSchema },
    problems: [...bodyProblems, ...once, 'not-found', 'limit-reached'],
  },
};
