/**
 * Groups a table's subscribers by condition and then by claim set. Each condition is evaluated once, and PostgreSQL is
 * queried once per claim set.
 */
import type { Table } from '../core/change.ts';
import type { Action, ChangeRequest } from '../core/filter.ts';
import { type CompiledCondition, compileCondition, type ValidCondition } from '../core/filter-match.ts';
import type { Frame, Version } from '../core/frame.ts';
import type { Place } from '../core/progress.ts';
import type { ClaimSet } from './checks.ts';

/** A channel's subscription to changes. */
export interface Subscriber {
  readonly topic: string;
  readonly version: Version;
  /**
   * True if the client doesn't send `config`. Such a client receives only the record as the payload, and the action as
   * the event name.
   */
  readonly bare: boolean;
  readonly requests: readonly { readonly id: number; readonly request: ChangeRequest }[];
  claimSet: ClaimSet;
  /** False once the subscriber has left. A batch in progress can still refer to the subscriber. */
  active: boolean;
  /** Sends a change. `place` is the place of the change in the stream. */
  send(frame: Frame, place?: Place): void;
  /** The subscriber's positions in audiences, for fast removal. */
  readonly positions: Position[];
}

interface Position {
  readonly audience: Audience;
  readonly group: Group;
  readonly target: Target;
}

/** A subscriber's request, as an audience stores it. */
export interface Target {
  readonly subscriber: Subscriber;
  readonly id: number;
  readonly order: number;
  readonly select: ReadonlySet<string> | undefined;
  readonly selectKey: string;
  /** Targets with equal keys receive the same frame, unless another request of the subscriber matches too. */
  readonly frameKey: string;
}

export interface Group {
  readonly key: string;
  readonly action: Action | '*';
  readonly conditions: readonly CompiledCondition[];
  readonly members: Map<ClaimSet, Set<Target>>;
}

export interface Audience {
  readonly table: Table;
  readonly groups: Map<string, Group>;
  /** The name of the row visibility function. Undefined until the function is created. */
  visibility: string | null | undefined;
  /** Whether only the row's owners can receive changes. False if the lookup of the owners failed. */
  narrows: boolean;
}

export function createAudience(table: Table): Audience {
  return { table, groups: new Map(), visibility: undefined, narrows: table.ownerColumns !== undefined };
}

/**
 * Adds the subscriber's request at index `order`. The request's conditions must already be validated against the table.
 */
export function addRequest(
  audience: Audience,
  subscriber: Subscriber,
  order: number,
  conditions: readonly ValidCondition[],
): void {
  const { id, request } = subscriber.requests[order] as { id: number; request: ChangeRequest };
  const key = `${request.action} ${JSON.stringify(conditions)}`;
  let group = audience.groups.get(key);
  if (group === undefined) {
    const columns = new Map(audience.table.columns.map((column) => [column.name, column]));
    const compiled: CompiledCondition[] = [];
    for (const condition of conditions) {
      const column = columns.get(condition.column);
      if (column === undefined) return; // The column was dropped after validation, so nothing matches.
      compiled.push(compileCondition(condition, column));
    }
    group = { key, action: request.action, conditions: compiled, members: new Map() };
    audience.groups.set(key, group);
  }
  const selectKey = request.select === undefined ? '' : JSON.stringify([...request.select].sort());
  const target: Target = {
    subscriber,
    id,
    order,
    select: request.select === undefined ? undefined : new Set(request.select),
    selectKey,
    frameKey: frameKey(subscriber, String(id), selectKey),
  };
  let targets = group.members.get(subscriber.claimSet);
  if (targets === undefined) {
    targets = new Set();
    group.members.set(subscriber.claimSet, targets);
  }
  targets.add(target);
  subscriber.positions.push({ audience, group, target });
}

export function frameKey(
  { topic, version, bare, claimSet }: Subscriber,
  ids: string,
  selectKey: string,
): string {
  return JSON.stringify([topic, version, bare, claimSet.role, ids, selectKey]);
}

export function removeSubscriber(subscriber: Subscriber): void {
  subscriber.active = false;
  for (const { audience, group, target } of subscriber.positions) {
    const targets = group.members.get(subscriber.claimSet);
    targets?.delete(target);
    if (targets?.size !== 0) continue;
    group.members.delete(subscriber.claimSet);
    if (group.members.size === 0 && audience.groups.get(group.key) === group)
      audience.groups.delete(group.key);
  }
  subscriber.positions.length = 0;
}
