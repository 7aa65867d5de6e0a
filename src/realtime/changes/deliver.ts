/**
 * Delivers a batch of changes. Evaluates conditions, queries visibility once per table for all claim sets, and encodes
 * frames in commit order. Each frame is encoded once for all subscribers that receive it.
 */
import type { Pool } from '../../database/types.ts';
import type { Logger } from '../../kernel/log.ts';
import { type Change, changeJson, type Refusal, refusalOf } from '../core/change.ts';
import { matchRow, type PendingTest, type Verdict } from '../core/filter-match.ts';
import { encodeJson, type Frame } from '../core/frame.ts';
import { isPlainId } from '../core/owner.ts';
import { isServerResponse } from '../core/server-response.ts';
import { type Audience, frameKey, type Group, type Subscriber, type Target } from './audience.ts';
import type { RoleAccess } from './catalog.ts';
import { type ClaimSet, checkConditions, makeVisibility, ownersOf, visibleRows } from './checks.ts';

export interface DeliveryDeps {
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly now: () => number;
  readonly access: (oid: number, role: string) => Promise<RoleAccess>;
}

/** With fewer claim sets, an owner lookup costs more than it saves. */
const worthNarrowing = 4;

/** A change with its audience and intermediate results. */
interface Work {
  readonly change: Change;
  readonly audience: Audience;
  groups: Group[];
  pending: { readonly group: Group; readonly tests: readonly PendingTest[] }[];
  /** Undefined if all claim sets can see the row. */
  visibleTo: ReadonlySet<ClaimSet> | undefined;
}

/** The access of roles to a table. */
type RoleViews = Map<string, RoleAccess & { readonly refusals: Map<string, Refusal | undefined> }>;

/**
 * Returns how long the queries took, in milliseconds.
 * @throws errors that aren't responses from PostgreSQL. In this case, nothing was delivered and the batch can be
 * retried.
 */
export async function deliverBatch(
  deps: DeliveryDeps,
  changes: readonly { readonly change: Change; readonly audience: Audience }[],
): Promise<number> {
  const started = deps.now();
  const works = changes.map(({ change, audience }) => examine(change, audience));
  await decidePending(deps, works);
  const views = await loadViews(deps, works);
  await queryVisibility(deps, works, views);
  const checkMs = deps.now() - started;
  for (const work of works) deliver(work, views.get(work.audience) as RoleViews);
  return checkMs;
}

function examine(change: Change, audience: Audience): Work {
  const work: Work = { change, audience, groups: [], pending: [], visibleTo: undefined };
  for (const group of audience.groups.values()) {
    if (group.members.size === 0 || (group.action !== '*' && group.action !== change.action)) continue;
    const verdict = verdictOf(group, change);
    if (verdict === 'yes') work.groups.push(group);
    else if (verdict !== 'no') work.pending.push({ group, tests: verdict.pending });
  }
  return work;
}

/** INSERT and UPDATE match against the new row, and DELETE against the columns of the replica identity. */
function verdictOf(group: Group, change: Change): Verdict {
  return matchRow(group.conditions, change.action === 'DELETE' ? change.old : change.row);
}

/** Evaluates conditions that require PostgreSQL. Each distinct condition is evaluated once. */
async function decidePending(deps: DeliveryDeps, works: readonly Work[]): Promise<void> {
  const distinct = new Map<string, PendingTest>();
  const keyOf = ({ compiled: { condition, sqlType }, value }: PendingTest): string =>
    JSON.stringify([condition.operator, sqlType, value, condition.value, condition.negate]);
  for (const { pending } of works) {
    for (const { tests } of pending) for (const test of tests) distinct.set(keyOf(test), test);
  }
  if (distinct.size === 0) return;
  const results = await checkConditions(deps.pool(), [...distinct.values()]);
  const holds = new Map([...distinct.keys()].map((key, index) => [key, results[index] === true]));
  for (const work of works) {
    for (const { group, tests } of work.pending) {
      if (tests.every((test) => holds.get(keyOf(test)) === true)) work.groups.push(group);
    }
  }
}

async function loadViews(deps: DeliveryDeps, works: readonly Work[]): Promise<Map<Audience, RoleViews>> {
  const views = new Map<Audience, RoleViews>();
  for (const { audience } of works) {
    if (views.has(audience)) continue;
    const ofTable: RoleViews = new Map();
    views.set(audience, ofTable);
    const roles = new Set<string>();
    for (const group of audience.groups.values())
      for (const { role } of group.members.keys()) roles.add(role);
    for (const role of roles) {
      ofTable.set(role, { ...(await deps.access(audience.table.oid, role)), refusals: new Map() });
    }
  }
  return views;
}

function refusalFor(work: Work, views: RoleViews, role: string): Refusal | undefined {
  const view = views.get(role);
  if (view === undefined) return 'Error 401: Unauthorized';
  const { action } = work.change;
  if (!view.refusals.has(action))
    view.refusals.set(action, refusalOf(work.audience.table, action, view.selectable));
  return view.refusals.get(action);
}

/** Queries the visibility of all rows for all claim sets, once per table. */
async function queryVisibility(
  deps: DeliveryDeps,
  works: readonly Work[],
  views: ReadonlyMap<Audience, RoleViews>,
): Promise<void> {
  const byAudience = new Map<Audience, Work[]>();
  for (const work of works) {
    if (!work.audience.table.rowSecurity || work.change.action === 'DELETE' || work.groups.length === 0)
      continue;
    const list = byAudience.get(work.audience);
    if (list === undefined) byAudience.set(work.audience, [work]);
    else list.push(work);
  }
  await Promise.all(
    [...byAudience].map(([audience, list]) =>
      queryAudience(deps, audience, list, views.get(audience) as RoleViews).catch((error: unknown) => {
        if (!isServerResponse(error)) throw error;
        // If the query fails, the change isn't delivered.
        for (const work of list) work.visibleTo = new Set();
        // The function may have been dropped, so it is created again.
        audience.visibility = undefined;
        deps.log.error(
          { table: `${audience.table.schema}.${audience.table.name}`, error },
          "failed to check row visibility; the changes aren't delivered",
        );
      }),
    ),
  );
}

async function queryAudience(
  deps: DeliveryDeps,
  audience: Audience,
  works: readonly Work[],
  views: RoleViews,
): Promise<void> {
  const claimSets = new Set<ClaimSet>();
  const numbers = new Map<string, number>();
  const keys: string[][] = [];
  const numberOf: (number | undefined)[] = [];
  for (const work of works) {
    const key = audience.table.primaryKey.map((name) => work.change.row?.get(name));
    work.visibleTo = new Set();
    if (key.length === 0 || key.some((value) => value == null)) {
      numberOf.push(undefined);
      continue;
    }
    const text = JSON.stringify(key);
    let number = numbers.get(text);
    if (number === undefined) {
      number = keys.push(key as string[]) - 1;
      numbers.set(text, number);
    }
    numberOf.push(number);
    for (const group of work.groups) {
      for (const claimSet of group.members.keys()) {
        if (refusalFor(work, views, claimSet.role) === undefined) claimSets.add(claimSet);
      }
    }
  }
  if (keys.length === 0 || claimSets.size === 0) return;
  const pool = deps.pool();
  const asked = await narrowed(deps, audience, keys, claimSets, views);
  if (asked.length === 0) return;
  audience.visibility ??= await makeVisibility(pool, audience.table.oid);
  if (audience.visibility === null) return;
  const visible = await visibleRows(pool, audience.visibility, audience.table, keys, asked);
  const visibleTo: Set<ClaimSet>[] = keys.map(() => new Set());
  for (const [claimSet, rows] of visible) for (const row of rows) visibleTo[row]?.add(claimSet);
  works.forEach((work, index) => {
    const number = numberOf[index];
    if (number !== undefined) work.visibleTo = visibleTo[number];
  });
}

/**
 * Returns the claim sets that might see any of the rows: all of them, unless policies limit access to owners. Uses the
 * current row values, as policies do.
 */
async function narrowed(
  deps: DeliveryDeps,
  audience: Audience,
  keys: readonly (readonly string[])[],
  claimSets: ReadonlySet<ClaimSet>,
  views: RoleViews,
): Promise<readonly ClaimSet[]> {
  const all = [...claimSets];
  if (!audience.narrows || all.length < worthNarrowing) return all;
  try {
    const owners = await ownersOf(deps.pool(), audience.table, keys);
    return all.filter(
      ({ role, sub }) => !isPlainId(sub) || owners.has(sub) || views.get(role)?.exempt !== false,
    );
  } catch (error) {
    if (!isServerResponse(error)) throw error;
    audience.narrows = false;
    const table = `${audience.table.schema}.${audience.table.name}`;
    deps.log.debug({ table, error }, 'failed to look up row owners; checking all subscribers');
    return all;
  }
}

function deliver(work: Work, views: RoleViews): void {
  const { change, audience, groups, visibleTo } = work;
  const recipients = new Map<Subscriber, Target[]>();
  const add = (target: Target): void => {
    if (!target.subscriber.active) return;
    const known = recipients.get(target.subscriber);
    if (known === undefined) recipients.set(target.subscriber, [target]);
    else known.push(target);
  };
  const addAll = (targets: ReadonlySet<Target> | undefined, role: string): void => {
    if (targets === undefined || refusalFor(work, views, role) !== undefined) return;
    for (const target of targets) add(target);
  };
  for (const { members } of groups) {
    if (visibleTo === undefined) for (const [claimSet, targets] of members) addAll(targets, claimSet.role);
    else if (visibleTo.size < members.size) {
      for (const claimSet of visibleTo) addAll(members.get(claimSet), claimSet.role);
    } else {
      for (const [claimSet, targets] of members) if (visibleTo.has(claimSet)) addAll(targets, claimSet.role);
    }
  }
  const refused = [...views.keys()].filter((role) => refusalFor(work, views, role) !== undefined);
  if (refused.length > 0) {
    // Refusals are sent to all subscribers of the role, regardless of conditions and policies.
    for (const { action, members } of audience.groups.values()) {
      if (action !== '*' && action !== change.action) continue;
      for (const [claimSet, targets] of members)
        if (refused.includes(claimSet.role)) for (const target of targets) add(target);
    }
  }
  if (recipients.size > 0) new Envelopes(work, views).sendTo(recipients);
}

/** The frames of a change. */
class Envelopes {
  readonly #work: Work;
  readonly #views: RoleViews;
  readonly #frames = new Map<string, Frame>();
  readonly #data = new Map<string, string>();

  constructor(work: Work, views: RoleViews) {
    this.#work = work;
    this.#views = views;
  }

  sendTo(recipients: ReadonlyMap<Subscriber, readonly Target[]>): void {
    for (const [subscriber, targets] of recipients) {
      const [first] = targets as [Target, ...Target[]];
      if (targets.length === 1) {
        subscriber.send(this.#frame(first.frameKey, subscriber, first, String(first.id)));
        continue;
      }
      // Sends one message for all requests of a subscriber, or one per distinct selection.
      const bySelection = Map.groupBy(targets, ({ selectKey }) => selectKey);
      for (const [selectKey, list] of bySelection) {
        const ids = list
          .sort((a, b) => a.order - b.order)
          .map(({ id }) => id)
          .join(',');
        subscriber.send(
          this.#frame(frameKey(subscriber, ids, selectKey), subscriber, list[0] as Target, ids),
        );
      }
    }
  }

  #frame(key: string, subscriber: Subscriber, target: Target, ids: string): Frame {
    let frame = this.#frames.get(key);
    if (frame === undefined) {
      const { topic, version, bare } = subscriber;
      const data = this.#dataFor(subscriber.claimSet.role, target);
      frame = bare
        ? encodeJson(version, null, null, topic, this.#work.change.action, data)
        : encodeJson(version, null, null, topic, 'postgres_changes', `{"ids":[${ids}],"data":${data}}`);
      this.#frames.set(key, frame);
    }
    return frame;
  }

  #dataFor(role: string, { select, selectKey }: Target): string {
    const key = `${role} ${selectKey}`;
    let data = this.#data.get(key);
    if (data === undefined) {
      const selectable = this.#views.get(role)?.selectable ?? new Set<string>();
      data = changeJson(
        this.#work.audience.table,
        this.#work.change,
        selectable,
        select,
        refusalFor(this.#work, this.#views, role),
      );
      this.#data.set(key, data);
    }
    return data;
  }
}
