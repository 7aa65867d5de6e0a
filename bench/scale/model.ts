/**
 * A model of what a load needs: how many nodes, how much of PostgreSQL, and which part reaches its limit first. The
 * costs are measured by the benchmarks (`costs.ts`). The model only adds them up, so it shows orders of magnitude, and
 * doesn't replace a load test.
 */

/** The CPU time of one operation in microseconds. */
export interface Cost {
  readonly node: number;
  readonly postgres: number;
}

export interface Costs {
  readonly read: Cost;
  readonly list: Cost;
  readonly embed: Cost;
  readonly insert: Cost;
  readonly update: Cost;
  readonly remove: Cost;
  readonly account: Cost;
  readonly refresh: Cost;
  /** A sign-in with a password, which is almost only the password hash. */
  readonly signIn: Cost;
  readonly download: Cost;
  readonly upload: Cost;
  /** A change that one of the node's subscribers receives, including the check of its policies. */
  readonly change: Cost;
  /** One delivery of a change or broadcast to one subscriber. */
  readonly delivery: Cost;
  readonly socketKiB: number;
  readonly nodeMiB: number;
}

/** The load at the busiest time of the day. Rates are per second. */
export interface Load {
  readonly monthlyUsers: number;
  readonly requests: number;
  readonly changes: number;
  /** The number of subscribers that receive each change. */
  readonly recipients: number;
  readonly sockets: number;
  readonly downloads: number;
  readonly uploads: number;
  readonly storedGiB: number;
}

/** What one machine or service of each kind can do. */
export interface Sizes {
  readonly nodeCores: number;
  readonly nodeGiB: number;
  readonly databaseCores: number;
  /** The share of the CPU that may be used at the busiest time. */
  readonly use: number;
  /** The connections that each node opens at most. */
  readonly connectionsPerNode: number;
  readonly maxConnections: number;
}

export interface Need {
  readonly part: 'nodes-cpu' | 'nodes-memory' | 'primary' | 'writes' | 'change-reader' | 'connections';
  /** The amount that the load needs, in the unit of the limit. */
  readonly amount: number;
  /** The amount that one machine, process or server can provide. */
  readonly limit: number;
}

export interface Answer {
  readonly nodes: number;
  /** The replicas of PostgreSQL that take over reads. 0 if the primary is sufficient. */
  readonly replicas: number;
  readonly needs: readonly Need[];
  /** The part that can't be multiplied and is closest to its limit. */
  readonly first: Need;
}

/** The mix of an app that mostly reads: the share of each kind of REST request. */
const mix = { read: 0.5, list: 0.3, embed: 0.1, insert: 0.05, update: 0.04, remove: 0.01 } as const;
const reads = ['read', 'list', 'embed'] as const;
const writes = ['insert', 'update', 'remove'] as const;

/**
 * How often users sign in and refresh. A fifth of the monthly users is active on one day, most of them within 12 hours,
 * and an hour at the busiest time has twice the average. An active user refreshes the session three times a day, and
 * signs in again twice a month.
 */
const dailyShare = 0.2;
const busySeconds = 12 * 3600;
const peak = 2;
const refreshesPerDay = 3;
const signInsPerMonth = 2;

const micros = 1e6;

export function answer(load: Load, costs: Costs, sizes: Sizes): Answer {
  const perSecond = (perDay: number): number => (perDay * peak) / busySeconds;
  const daily = load.monthlyUsers * dailyShare;
  const rates: Partial<Record<keyof Costs, number>> = {
    ...Object.fromEntries(Object.entries(mix).map(([kind, share]) => [kind, load.requests * share])),
    refresh: perSecond(daily * refreshesPerDay),
    signIn: perSecond((load.monthlyUsers * signInsPerMonth) / 30),
    account: perSecond(daily),
    download: load.downloads,
    upload: load.uploads,
    change: load.changes,
    delivery: load.changes * load.recipients,
  };
  const cores = (of: keyof Cost, kinds = Object.keys(rates) as (keyof Costs)[]): number =>
    kinds.reduce((sum, kind) => sum + (rates[kind] ?? 0) * (costs[kind] as Cost)[of], 0) / micros;

  const nodeCores = sizes.nodeCores * sizes.use;
  const socketsGiB = (load.sockets * costs.socketKiB) / 1024 ** 2;
  const freeGiB = sizes.nodeGiB * sizes.use - costs.nodeMiB / 1024;
  const nodes = Math.max(1, Math.ceil(cores('node') / nodeCores), Math.ceil(socketsGiB / freeGiB));

  const databaseCores = sizes.databaseCores * sizes.use;
  const onReplicas = cores('postgres', [...reads]);
  const isOverPrimary = cores('postgres') > databaseCores;
  // Every write is also replayed on each replica, which the model leaves out, because replay costs less than the write.
  const replicas = isOverPrimary ? Math.ceil(onReplicas / databaseCores) : 0;
  const onPrimary = cores('postgres') - (isOverPrimary ? onReplicas : 0);

  const needs: Need[] = [
    { part: 'nodes-cpu', amount: cores('node'), limit: nodeCores },
    { part: 'nodes-memory', amount: socketsGiB, limit: freeGiB },
    { part: 'primary', amount: onPrimary, limit: databaseCores },
    {
      part: 'writes',
      amount: cores('postgres', [...writes, 'refresh', 'signIn', 'upload']),
      limit: databaseCores,
    },
    { part: 'change-reader', amount: (load.changes * costs.change.node) / micros, limit: sizes.use },
    { part: 'connections', amount: nodes * sizes.connectionsPerNode, limit: sizes.maxConnections },
  ];
  const single = needs.filter(({ part }) => part !== 'nodes-cpu' && part !== 'nodes-memory');
  const first = single.reduce((most, need) => (shareOf(need) > shareOf(most) ? need : most));
  return { nodes, replicas, needs, first };
}

/** The used share of the limit. A share above 1 means that the part needs a larger machine or an engine that shards. */
export const shareOf = ({ amount, limit }: Need): number => amount / limit;
