/**
 * Exports that the page has prepared. Browsers download files with GET requests, whose URLs can't contain long
 * statements. Therefore, the page first sends the statement in a POST request and then opens the URL of the export.
 */
import { randomUUID } from 'node:crypto';
import type { ParameterValue } from './contract.ts';

export interface PendingExport {
  readonly text: string;
  readonly parameters: readonly ParameterValue[];
  readonly as: string | undefined;
  readonly format: 'csv' | 'json';
  readonly guarded: boolean;
  readonly name: string;
  readonly isReadOnly: boolean;
}

const lifetimeMs = 60_000;
/** The maximum number of prepared exports per operator. Any additional export replaces the operator's oldest one. */
const maxPending = 5;

export interface PendingExports {
  add(operatorId: string, request: PendingExport): string;
  /** Returns the operator's export and removes it. Returns undefined if the export doesn't exist or has expired. */
  take(id: string, operatorId: string): PendingExport | undefined;
}

export function createPendingExports(now: () => number): PendingExports {
  const pending = new Map<string, { operatorId: string; until: number; request: PendingExport }>();
  return {
    add(operatorId, request) {
      for (const [id, { until }] of pending) if (until < now()) pending.delete(id);
      const own = [...pending].filter(([, each]) => each.operatorId === operatorId);
      const [oldest] = own;
      if (own.length >= maxPending && oldest !== undefined) pending.delete(oldest[0]);
      const id = randomUUID();
      pending.set(id, { operatorId, until: now() + lifetimeMs, request });
      return id;
    },
    take(id, operatorId) {
      const found = pending.get(id);
      if (found?.operatorId !== operatorId) return undefined;
      pending.delete(id);
      return found.until < now() ? undefined : found.request;
    },
  };
}
