/**
 * Delivers a batch of changes: evaluates the conditions, queries row visibility once per table for all claim sets, and
 * encodes frames in commit order. Each frame is encoded once for all subscribers that receive it.
 */

import type { Logger } from '../../../base/kernel/log.ts';
import type { Pool } from '../../../platform/database/types.ts';
import {
  type Change,
  type ConvertedValues,
  changeJson,
  type Rejection,
  rejectionOf,
} from '../core/change.ts';
import { type MatchResult, matchRow, type PendingTest } from '../core/filter-match.ts';
import { encodeJson, type Frame } from '../core/frame.ts';
import { isPlainId } from '../core/owner.ts';
import type { Place } from '../core/progress.ts';
import { isServerResponse } from '../errors.ts';
import type { TapEvent, Taps } from '../taps.ts';
import { type Audience, frameKey, type Group, type Subscriber, type Target } from './audience.ts';
import type { RoleAccess } from './catalog.ts';
import { type ClaimSet, convertValues, makeVisibility, ownersOf, visibleRows } from './checks.ts';
import type { ConditionTests } from './condition-tests.ts';

export interface DeliveryDeps {
  readonly pool: () => Pool;
  readonly log: Logger;
  readonly taps: Taps;
  readonly now: () => number;
  readonly access: (oid: number, role: string) => Promise<RoleAccess>;
  readonly conditions: ConditionTests;
  /** Called immediately after the changes were sent, before any other code runs. */
  readonly onDelivered?: () => void;
}

/** The minimum number of claim sets for an owner lookup. With fewer claim sets, the lookup costs more than it saves. */
const minClaimSetsToNarrow = 4;

/** A change with its audience and the intermediate results of its delivery. */
interface Delivery {
  readonly change: Change;
  readonly place: Place | undefined;
  readonly audience: Audience;
  groups: Group[];
  pending: { readonly group: Group; readonly tests: readonly PendingTest[] }[];
  /** Undefined if all claim sets can see the row. */
  visibleTo: ReadonlySet<ClaimSet> | undefined;
}

/** Each role's access to a table. */
type RoleViews = Map<string, RoleAccess & { readonly refusals: Map<string, Rejection | undefined> }>;

/**
 * Delivers the changes and returns how long the queries took, in milliseconds.
 * @throws errors that PostgreSQL doesn't report, such as a lost connection. If an error is thrown, nothing was
 * delivered, so the batch can be retried.
 */
export async function deliverBatch(
  deps: DeliveryDeps,
  changes: readonly { readonly change: Change; readonly audience: Audience; readonly place?: Place }[],
): Promise<number> {
  const started = deps.now();
  const deliveries = changes.map(({ change, audience, place }) => matchGroups(change, audience, place));
  await evaluatePending(deps, deliveries);
  const views = await loadViews(deps, deliveries);
  await queryVisibility(deps, deliveries, views);
  const sent = deliveries.filter(({ groups }) => groups.length > 0);
  const converted = await convertValues(
    deps.pool(),
    deps.log,
    sent.map(({ change, audience }) => ({ change, table: audience.table })),
  );
  const checkMs = deps.now() - started;
  for (const delivery of deliveries)
    deliver(deps.taps, delivery, views.get(delivery.audience) as RoleViews, converted);
  deps.onDelivered?.();
  return checkMs;
}

function matchGroups(change: Change, audience: Audience, place: Place | undefined): Delivery {
  const delivery: Delivery = { change, audience, place, groups: [], pending: [], visibleTo: undefined };
  for (const group of audience.groups.values()) {
    if (group.members.size === 0 || (group.action !== '*' && group.action !== change.action)) continue;
    const match = matchGroup(group, change);
    if (match === 'yes') delivery.groups.push(group);
    else if (match !== 'no') delivery.pending.push({ group, tests: match.pending });
  }
  return delivery;
}

/**
 * Matches the conditions against the new row for an INSERT or UPDATE, and against the replica identity columns for a
 * DELETE.
 */
function matchGroup(group: Group, change: Change): MatchResult {
  return matchRow(group.conditions, change.action === 'DELETE' ? change.old : change.row);
}

/** Evaluates the conditions that require PostgreSQL. Each distinct condition is evaluated only once. */
async function evaluatePending(deps: DeliveryDeps, deliveries: readonly Delivery[]): Promise<void> {
  const distinct = new Map<string, PendingTest>();
  const keyOf = ({ compiled: { condition, sqlType }, value }: PendingTest): string =>
    JSON.stringify([condition.operator, sqlType, value, condition.value, condition.negate]);
  for (const { pending } of deliveries) {
    for (const { tests } of pending) for (const test of tests) distinct.set(keyOf(test), test);
  }
  if (distinct.size === 0) return;
  const results = await deps.conditions.evaluate(deps.pool(), [...distinct.values()]);
  const holds = new Map([...distinct.keys()].map((key, index) => [key, results[index] === true]));
  for (const delivery of deliveries) {
    for (const { group, tests } of delivery.pending) {
      if (tests.every((test) => holds.get(keyOf(test)) === true)) delivery.groups.push(group);
    }
  }
}

async function loadViews(
  deps: DeliveryDeps,
  deliveries: readonly Delivery[],
): Promise<Map<Audience, RoleViews>> {
  const views = new Map<Audience, RoleViews>();
  for (const { audience } of deliveries) {
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

function rejectionFor(delivery: Delivery, views: RoleViews, role: string): Rejection | undefined {
  const view = views.get(role);
  if (view === undefined) return 'Error 401: Unauthorized';
  const { action } = delivery.change;
  if (!view.refusals.has(action))
    view.refusals.set(action, rejectionOf(delivery.audience.table, action, view.selectable));
  return view.refusals.get(action);
}

/** Determines which claim sets can see the rows of tables with row-level security. */
async function queryVisibility(
  deps: DeliveryDeps,
  deliveries: readonly Delivery[],
  views: ReadonlyMap<Audience, RoleViews>,
): Promise<void> {
  const byAudience = new Map<Audience, Delivery[]>();
  for (const delivery of deliveries) {
    if (
      !delivery.audience.table.rowSecurity ||
      delivery.change.action === 'DELETE' ||
      delivery.groups.length === 0
    )
      continue;
    const list = byAudience.get(delivery.audience);
    if (list === undefined) byAudience.set(delivery.audience, [delivery]);
    else list.push(delivery);
  }
  await Promise.all(
    [...byAudience].map(([audience, list]) =>
      queryAudience(deps, audience, list, views.get(audience) as RoleViews).catch((error: unknown) => {
        if (!isServerResponse(error)) throw error;
        // If the query fails, the changes aren't delivered.
        for (const delivery of list) delivery.visibleTo = new Set();
        // The row visibility function may have been dropped. The next query creates the function again.
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
  deliveries: readonly Delivery[],
  views: RoleViews,
): Promise<void> {
  const claimSets = new Set<ClaimSet>();
  const numbers = new Map<string, number>();
  const keys: string[][] = [];
  const numberOf: (number | undefined)[] = [];
  for (const delivery of deliveries) {
    const key = audience.table.primaryKey.map((name) => delivery.change.row?.get(name));
    delivery.visibleTo = new Set();
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
    for (const group of delivery.groups) {
      for (const claimSet of group.members.keys()) {
        if (rejectionFor(delivery, views, claimSet.role) === undefined) claimSets.add(claimSet);
      }
    }
  }
  if (keys.length === 0 || claimSets.size === 0) return;
  const pool = deps.pool();
  const asked = await narrowed(deps, audience, { keys, claimSets }, views);
  if (asked.length === 0) return;
  audience.visibility ??= await makeVisibility(pool, audience.table.oid);
  if (audience.visibility === null) return;
  const visible = await visibleRows(
    pool,
    { functionName: audience.visibility, table: audience.table },
    keys,
    asked,
  );
  const visibleTo: Set<ClaimSet>[] = keys.map(() => new Set());
  for (const [claimSet, rows] of visible) for (const row of rows) visibleTo[row]?.add(claimSet);
  deliveries.forEach((delivery, index) => {
    const number = numberOf[index];
    if (number !== undefined) delivery.visibleTo = visibleTo[number];
  });
}

/**
 * Returns the claim sets that might be able to see any of the rows. All claim sets are returned unless the policies
 * limit access to owners. The owners are read from the current rows because policies also apply to the current rows.
 */
async function narrowed(
  deps: DeliveryDeps,
  audience: Audience,
  {
    keys,
    claimSets,
  }: { readonly keys: readonly (readonly string[])[]; readonly claimSets: ReadonlySet<ClaimSet> },
  views: RoleViews,
): Promise<readonly ClaimSet[]> {
  const all = [...claimSets];
  if (!audience.narrows || all.length < minClaimSetsToNarrow) return all;
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

function deliver(taps: Taps, delivery: Delivery, views: RoleViews, converted: ConvertedValues): void {
  const { change, audience, groups, visibleTo } = delivery;
  const recipients = new Map<Subscriber, Target[]>();
  const add = (target: Target): void => {
    if (!target.subscriber.active) return;
    const known = recipients.get(target.subscriber);
    if (known === undefined) recipients.set(target.subscriber, [target]);
    else known.push(target);
  };
  const addAll = (targets: ReadonlySet<Target> | undefined, role: string): void => {
    if (targets === undefined || rejectionFor(delivery, views, role) !== undefined) return;
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
  const refused = [...views.keys()].filter((role) => rejectionFor(delivery, views, role) !== undefined);
  if (refused.length > 0) {
    // A rejection is sent to all subscribers with the role, regardless of their conditions and the policies.
    for (const { action, members } of audience.groups.values()) {
      if (action !== '*' && action !== change.action) continue;
      for (const [claimSet, targets] of members)
        if (refused.includes(claimSet.role)) for (const target of targets) add(target);
    }
  }
  if (recipients.size === 0) return;
  const frames = new ChangeFrames(delivery, views, converted);
  frames.sendTo(recipients);
  if (taps.isOpen) for (const event of frames.eventsFor(recipients)) taps.emit(event);
}

/** Encodes and caches the frames of one change. */
class ChangeFrames {
  readonly #delivery: Delivery;
  readonly #views: RoleViews;
  readonly #converted: ConvertedValues;
  readonly #frames = new Map<string, Frame>();
  readonly #data = new Map<string, string>();

  constructor(delivery: Delivery, views: RoleViews, converted: ConvertedValues) {
    this.#delivery = delivery;
    this.#views = views;
    this.#converted = converted;
  }

  sendTo(recipients: ReadonlyMap<Subscriber, readonly Target[]>): void {
    for (const [subscriber, targets] of recipients) {
      const [first] = targets as [Target, ...Target[]];
      if (targets.length === 1) {
        subscriber.send(
          this.#frame(first.frameKey, subscriber, first, String(first.id)),
          this.#delivery.place,
        );
        continue;
      }
      // Sends the subscriber one message for all of its requests that select the same columns.
      const bySelection = Map.groupBy(targets, ({ selectKey }) => selectKey);
      for (const [selectKey, list] of bySelection) {
        const ids = list
          .sort((a, b) => a.order - b.order)
          .map(({ id }) => id)
          .join(',');
        subscriber.send(
          this.#frame(frameKey(subscriber, ids, selectKey), subscriber, list[0] as Target, ids),
          this.#delivery.place,
        );
      }
    }
  }

  /** Returns one event per topic, with the data that the first of its subscribers received. */
  *eventsFor(recipients: ReadonlyMap<Subscriber, readonly Target[]>): Iterable<TapEvent> {
    const { change, audience } = this.#delivery;
    const byTopic = Map.groupBy(recipients, ([{ topic }]) => topic);
    for (const [topic, list] of byTopic) {
      const [[subscriber, [target]]] = list as [[Subscriber, [Target]]];
      const payload = this.#dataFor(subscriber.claimSet.role, target);
      yield {
        kind: 'change',
        topic: topic.replace(/^realtime:/, ''),
        isGuarded: true,
        event: `${change.action} ${audience.table.schema}.${audience.table.name}`,
        payload,
        sizeBytes: Buffer.byteLength(payload),
        recipients: list.length,
      };
    }
  }

  #frame(key: string, subscriber: Subscriber, target: Target, ids: string): Frame {
    let frame = this.#frames.get(key);
    if (frame === undefined) {
      const { topic, version, bare } = subscriber;
      const data = this.#dataFor(subscriber.claimSet.role, target);
      frame = bare
        ? encodeJson(version, { topic, event: this.#delivery.change.action }, data)
        : encodeJson(version, { topic, event: 'postgres_changes' }, `{"ids":[${ids}],"data":${data}}`);
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
        this.#delivery.audience.table,
        this.#delivery.change,
        { selectable, select, rejection: rejectionFor(this.#delivery, this.#views, role) },
        this.#converted,
      );
      this.#data.set(key, data);
    }
    return data;
  }
}
