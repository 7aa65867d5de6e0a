/**
 * Who may be interested in the changes of a table: subscribers grouped by what they asked for, so that a condition is
 * looked at once for all who have it, and below that by claim set, so that PostgreSQL is asked once for all who share it.
 */
import type { Table } from '../core/change.ts';
import type { Action, ChangeRequest } from '../core/filter.ts';
import { type CompiledCondition, compileCondition, type ValidCondition } from '../core/filter-match.ts';
import type { Frame, Version } from '../core/frame.ts';
import type { ClaimSet } from './checks.ts';

/** What a channel wants to hear. */
export interface Subscriber {
  readonly topic: string;
  readonly version: Version;
  /** Clients from before `config` get the bare data under the name of the action. */
  readonly bare: boolean;
  readonly requests: readonly { readonly id: number; readonly request: ChangeRequest }[];
  claimSet: ClaimSet;
  /** False once it left: a batch that is under way may still know it. */
  active: boolean;
  send(frame: Frame): void;
  /** Where it stands, so that it can leave quickly. */
  readonly places: Place[];
}

interface Place {
  readonly audience: Audience;
  readonly group: Group;
  readonly target: Target;
}

/** One request of one subscriber. */
export interface Target {
  readonly subscriber: Subscriber;
  readonly id: number;
  readonly order: number;
  readonly select: ReadonlySet<string> | undefined;
  readonly selectKey: string;
  /** Equal keys get equal frames, when nothing else of the subscriber matches. */
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
  /** Name of the row visibility function, once made. */
  visibility: string | null | undefined;
  /** False once the owners of rows could not be looked up. */
  narrows: boolean;
}

export function createAudience(table: Table): Audience {
  return { table, groups: new Map(), visibility: undefined, narrows: table.ownerColumns !== undefined };
}

/** Adds request number `order` of a subscriber, whose conditions were checked against the table. */
export function enter(
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
      if (column === undefined) return; // it went since it was checked: nothing matches
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
  subscriber.places.push({ audience, group, target });
}

export function frameKey(
  { topic, version, bare, claimSet }: Subscriber,
  ids: string,
  selectKey: string,
): string {
  return JSON.stringify([topic, version, bare, claimSet.role, ids, selectKey]);
}

/** Takes a subscriber out of every audience. */
export function leaveAll(subscriber: Subscriber): void {
  subscriber.active = false;
  for (const { audience, group, target } of subscriber.places) {
    const targets = group.members.get(subscriber.claimSet);
    targets?.delete(target);
    if (targets?.size !== 0) continue;
    group.members.delete(subscriber.claimSet);
    if (group.members.size === 0 && audience.groups.get(group.key) === group)
      audience.groups.delete(group.key);
  }
  subscriber.places.length = 0;
}
