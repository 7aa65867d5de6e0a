import { z } from 'zod';
import type { DeliveryRow, OpenedDelivery, WebhookState } from '../../../services/auth/index.ts';
import { json, noContent, type RouteTable } from '../core/contract.ts';

const id = z.string().regex(/^[1-9]\d{0,17}$/, "isn't the ID of a delivery");
export const idParam = z.object({ id });
const name = z.string().min(1).max(63);
export const nameParam = z.object({ name });
const filter = z.object({
  webhook: name.optional(),
  failed: z
    .enum(['true', 'false'])
    .default('false')
    .transform((text) => text === 'true'),
  before: id.optional(),
});

export type { DeliveryRow, OpenedDelivery, WebhookState };

export interface UserWebhooks {
  /** Whether this server can have webhooks. It can't if another service manages the database. */
  readonly isPossible: boolean;
  readonly webhooks: readonly WebhookState[];
}

export const contract = {
  'GET /webhooks': { response: json<UserWebhooks>() },
  'GET /webhooks/deliveries': {
    query: filter,
    response: json<{ readonly deliveries: readonly DeliveryRow[]; readonly more: boolean }>(),
  },
  'GET /webhooks/deliveries/:id': { response: json<OpenedDelivery>() },
  'POST /webhooks/deliveries/:id/send': { response: noContent },
  'POST /webhooks/:name/test': { response: json<{ readonly id: string }>() },
  'POST /webhooks/:name/enable': { response: noContent },
} as const satisfies RouteTable;
