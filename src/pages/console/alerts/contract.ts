import { z } from 'zod';
import { json, noContent, type RouteTable } from '../core/contract.ts';
import type { ReceiverState } from './alerts.ts';
import type { AlertRow } from './queries.ts';

export const nameParam = z.object({ name: z.string().min(1).max(63) });

export type { AlertRow, ReceiverState };

export interface AlertList {
  /** The alerts that were reported in the last 30 days, the open ones first. */
  readonly alerts: readonly AlertRow[];
  readonly receivers: readonly ReceiverState[];
}

export const contract = {
  'GET /alerts': { response: json<AlertList>() },
  /** Looks for problems now, and sends the messages that are due. */
  'POST /alerts/check': { response: noContent },
  /** Sends a test. `error` is null if the receiver has accepted it. */
  'POST /alerts/receivers/:name/test': { response: json<{ readonly error: string | null }>() },
} as const satisfies RouteTable;
