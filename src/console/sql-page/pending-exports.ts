/**
 * Exports prepared by the page. Browsers download files with GET requests, which can't contain long statements.
 * Therefore, the page first sends the statement and then opens the export's URL.
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
/** The maximum number of exports per operator. Another one replaces the operator's oldest export. */
const maxPending = 5;

export interface PendingExports {
  add(operatorId: string, request: PendingExport): string;
  /** Returns and removes the operator's export. Returns undefined if it doesn't exist or has expired. */
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
