import { buildSchema } from 'graphql';

/**
 * The fleet as a graph: job → executions → edge → leases → job, both ways, and what can be done to
 * it.
 */
export const graphSchema = buildSchema(`
  scalar JSON

  type Query {
    job(id: ID!): Job
    jobs(first: Int = 50, after: String, state: String, pool: String, queue: String,
      label: String, edge: String): JobConnection!
    edge(name: ID!): Edge
    edges(first: Int = 50, after: String, state: String, pool: String,
      label: String): EdgeConnection!
    stats(pool: String): Stats!
  }

  type Mutation {
    submit(job: JSON!): Job!
    cancel(id: ID!): Job!
    cancelChunks(id: ID!, ranges: String!): Job!
    cordon(edge: ID!, reason: String): Edge!
    uncordon(edge: ID!): Edge!
    drain(edge: ID!, reason: String, deadlineSeconds: Int): Edge!
  }

  type Subscription {
    job(id: ID!): Job
    jobs(first: Int = 50, after: String, state: String, pool: String, queue: String,
      label: String, edge: String): JobConnection!
    edges(first: Int = 50, after: String, state: String, pool: String,
      label: String): EdgeConnection!
    stats(pool: String): Stats!
    offers(edge: ID!, first: Int! = 50): [Offer!]!
  }

  type PageInfo { hasNextPage: Boolean!, endCursor: String }

  type JobConnection { edges: [JobEdge!]!, nodes: [Job!]!, pageInfo: PageInfo! }
  type JobEdge { cursor: String!, node: Job! }

  type EdgeConnection { edges: [EdgeEdge!]!, nodes: [Edge!]!, pageInfo: PageInfo! }
  type EdgeEdge { cursor: String!, node: Edge! }

  type ExecutionConnection {
    edges: [ExecutionEdge!]!
    nodes: [Execution!]!
    pageInfo: PageInfo!
  }
  type ExecutionEdge { cursor: String!, node: Execution! }

  type Job {
    id: ID!
    name: String
    spec: JSON!
    generation: Int!
    createdAt: String!
    createdBy: String!
    status: JobStatus!
    executions(first: Int = 20, after: String): ExecutionConnection!
  }

  type JobStatus {
    state: String!
    percent: Int!
    chunks: JobChunks!
    startedAt: String
    endedAt: String
    reason: String
    waiting: [Waiting!]!
    receipt: Receipt!
  }

  type JobChunks {
    total: Int!, waiting: Int!, pending: Int!, scheduled: Int!, running: Int!, done: Int!,
    dead: Int!, cancelled: Int!
  }

  type Receipt {
    counted: Boolean!
    shadowUpdates: Float!, messages: Float!, tableWrites: Float!, lambdaMs: Float!, usd: Float!
  }

  type Waiting {
    reason: String!, chunks: Int!, edges: Int!, examples: [ID!]!, detail: String!
  }

  type Execution {
    edge: Edge
    edgeName: ID!
    generation: Int
    chunks: String!
    power: Float!
    percent: Int!
    done: String!
    running: String!
    dead: String!
    startedAt: String
    endedAt: String
  }

  type Edge {
    name: ID!
    pool: String!
    cell: String!
    state: String!
    lastSeenAt: String
    connectedAt: String
    capacity: JSON!
    free: JSON!
    labels: JSON!
    facts: JSON!
    factsAt: String
    cordoned: Boolean!
    draining: Boolean!
    removing: Boolean!
    busy: Boolean!
    crashing: Boolean!
    reason: String
    leases: [Lease!]!
    totals: EdgeTotals!
    jobs(first: Int = 20, after: String): JobConnection!
  }

  type EdgeTotals { chunksDone: Float!, powerServed: Float! }

  type Lease { job: Job, jobId: ID!, chunks: String!, slots: Int!, percent: Int! }

  type Stats {
    jobs: StatsJobs!
    chunks: StatsChunks!
    edges: StatsEdges!
    power: StatsPower!
    rates: StatsRates!
    unreadableRows: Int!
    cells: [StatsCell!]!
  }

  type StatsJobs {
    waiting: Float!, pending: Float!, scheduled: Float!, running: Float!, done: Float!,
    failed: Float!, cancelled: Float!, total: Float!
  }

  type StatsChunks {
    pending: Float!, scheduled: Float!, running: Float!, done: Float!, dead: Float!,
    cancelled: Float!, total: Float!
  }

  type StatsEdges {
    total: Int!, connected: Int!, disconnected: Int!, lost: Int!, busy: Int!, free: Int!,
    cordoned: Int!
  }

  type StatsPower { total: Float!, free: Float!, reserved: Float!, served: Float! }
  type StatsRates { jobsPerMinute: Float!, chunksPer10Seconds: Float! }
  type StatsCell {
    id: ID!, pool: String!, edges: Int!, free: Float!, backlogPower: Float!
  }

  type Offer {
    id: ID!
    kind: String!
    cluster: ID!
    name: String
    queue: String!
    priority: Int!
    nodes: Int!
    tasks: Int!
    chunks: String
    resources: JSON!
    command: String
    submittedAt: String!
    jobspec: JSON
    fits: Boolean!
  }
`);
