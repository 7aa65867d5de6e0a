/** Lists the nodes of the project with their state and the lag of their replication slots. */
import { hostname } from 'node:os';
import type { Service } from '../../base/kernel/service.ts';
import { sql } from '../../base/kernel/sql.ts';
import { installedVersion } from '../../base/shared/files.ts';
import type { Queryable } from '../../platform/database/types.ts';
import {
  createLocalView,
  factsQuestion,
  type GroupView,
  type NodeAnswer,
  type NodeFacts,
  type NodeState,
  type NodeStatus,
  type SlotLag,
  type ViewNode,
} from '../../platform/group/types.ts';
import { createNodeFacts, type FactSources, type NodeFactsCollector } from './node-facts.ts';
import type { BackendParts } from './parts.ts';
import type { Services } from './services.ts';

export interface Nodes {
  readonly view: GroupView;
  list(): Promise<readonly NodeStatus[]>;
  /** Starts to answer questions about the state of this node. */
  report(sources: ReportSources): void;
  stop(): void;
}

interface ReportSources extends Pick<FactSources, 'loads' | 'readiness' | 'configuration'> {
  readonly created: Pick<Services, 'realtime' | 'jobs'>;
  readonly apiServices: readonly Service[];
}

export function createNodes({ group, database, telemetry, workers }: BackendParts): Nodes {
  const view = group.view ?? createLocalView(hostname(), installedVersion(), Date.now);
  // The role can read the statistics of replication. Hosted databases don't have it.
  const pool = () => database.pool(database.info.ownsSchemas ? 'supabase_read_only_user' : 'postgres');
  let facts: NodeFactsCollector | undefined;
  return {
    view,
    list: () => listNodeStatus(view, pool()),
    report({ created: { realtime, jobs }, apiServices, ...sources }) {
      facts = createNodeFacts({
        ...sources,
        requests: telemetry.metrics,
        realtime: apiServices.includes(realtime) ? realtime.report : undefined,
        jobs: jobs.running,
        workers: workers?.count ?? 0,
        now: Date.now,
      });
      view.answer(factsQuestion, facts.collect);
    },
    stop: () => facts?.stop(),
  };
}

/** The maximum time to wait for the lag of the slots. */
const slotTimeoutMs = 1000;

async function listNodeStatus(view: GroupView, pool: Queryable): Promise<readonly NodeStatus[]> {
  const answers = await view.ask<NodeFacts>(factsQuestion, {});
  const known = await view.nodes().catch(() => answers.map(({ node }) => node));
  const slots = answers.flatMap((answer) =>
    answer.missing === undefined && typeof answer.value.realtime?.slot === 'string'
      ? [answer.value.realtime.slot]
      : [],
  );
  const lags = slots.length === 0 ? [] : await atMost(slotLags(pool, slots), slotTimeoutMs);
  const own = known.find(({ id }) => id === view.self)?.version;
  return known.map((node) => {
    const { isRunning: _, ...rest } = node;
    const answer = answers.find((each) => each.node.id === node.id);
    const facts = answer?.missing === undefined ? (answer?.value ?? null) : null;
    const slot = facts?.realtime?.slot ?? null;
    return {
      ...rest,
      state: stateOf(node, answer),
      isSelf: node.id === view.self,
      isOtherVersion: own !== undefined && node.version !== own,
      facts,
      slot:
        slot === null
          ? null
          : (lags.find(({ name }) => name === slot) ?? { name: slot, lagBytes: null, lagSeconds: null }),
    };
  });
}

function stateOf({ isRunning }: ViewNode, answer: NodeAnswer<NodeFacts> | undefined): NodeState {
  if (answer === undefined) return isRunning ? 'silent' : 'gone';
  return answer.missing ?? (answer as { readonly value: NodeFacts }).value.status;
}

async function slotLags(pool: Queryable, names: readonly string[]): Promise<SlotLag[]> {
  return await pool.query<SlotLag & Record<string, unknown>>(sql`
    select s.slot_name::pg_catalog.text as name,
      pg_catalog.pg_wal_lsn_diff(
        case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn()
          else pg_catalog.pg_current_wal_lsn() end,
        s.confirmed_flush_lsn)::pg_catalog.float8 as "lagBytes",
      extract(epoch from r.flush_lag)::pg_catalog.float8 as "lagSeconds"
    from pg_catalog.pg_replication_slots s
    left join pg_catalog.pg_stat_replication r on r.pid operator(pg_catalog.=) s.active_pid
    where s.slot_name operator(pg_catalog.=) any (${names}::pg_catalog.text[])`);
}

/** Returns an empty list if the database doesn't respond in time. */
async function atMost<Row>(rows: Promise<Row[]>, timeoutMs: number): Promise<Row[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Row[]>((resolve) => {
    timer = setTimeout(() => resolve([]), timeoutMs);
  });
  try {
    return await Promise.race([rows.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}
