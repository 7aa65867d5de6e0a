/** The operations on webhooks for the Console: deliveries, tests, and disabled webhooks. */
import { testEventType } from '../../../base/shared/user-events.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database, Pool } from '../../../platform/database/types.ts';
import {
  type DeliveryFilter,
  type DeliveryRow,
  findDelivery,
  findEndpoints,
  insertTest,
  listDeliveries,
  type OpenedDelivery,
  sendAgain,
} from './administration-queries.ts';
import type { Endpoint } from './endpoint.ts';
import { enableEndpoint, registerEndpoints } from './queries.ts';

/** A webhook in plinth.toml. */
export interface WebhookState {
  readonly name: string;
  readonly url: string | null;
  readonly events: readonly string[];
  /** Whether the settings enable the webhook. */
  readonly enabled: boolean;
  /** Since when all requests have failed (ISO 8601). */
  readonly failingSince: string | null;
  /** When the webhook was disabled because it failed for too long (ISO 8601). */
  readonly disabledAt: string | null;
  readonly note: string | null;
  readonly waiting: number;
  readonly failed: number;
}

export type { DeliveryFilter, DeliveryRow, OpenedDelivery };

export type WebhookRefusal = 'unknown' | 'off' | 'disabled';

export interface WebhookAdministration {
  /** Whether this server can have webhooks. It can't if another service manages the database. */
  readonly isPossible: boolean;
  list(): Promise<readonly WebhookState[]>;
  /** Lists deliveries, newest first. */
  deliveries(filter: DeliveryFilter): Promise<readonly DeliveryRow[]>;
  delivery(id: string): Promise<OpenedDelivery | undefined>;
  /** Sends a delivery again, with the same ID. Returns the reason if that isn't possible. */
  sendAgain(id: string): Promise<WebhookRefusal | undefined>;
  /** Sends a test event to a webhook. Returns the delivery's ID, or the reason if that isn't possible. */
  sendTest(name: string): Promise<{ readonly id: string } | WebhookRefusal>;
  /** Enables a webhook that was disabled because it failed for too long. Returns false if it doesn't exist. */
  enable(name: string): Promise<boolean>;
}

interface AdministrationDeps {
  readonly database: Database;
  readonly db: Pool;
  readonly config: LiveConfig;
  readonly endpoints: () => readonly Endpoint[];
  /** Wakes the sender of this process. */
  readonly wake: () => Promise<unknown>;
}

export function createAdministration(deps: AdministrationDeps): WebhookAdministration {
  const { database, db, config, endpoints, wake } = deps;
  const isPossible = database.info.ownsSchemas;

  async function refusalOf(name: string): Promise<WebhookRefusal | undefined> {
    if (config.current.plinth.auth.webhooks[name] === undefined) return 'unknown';
    if (!isPossible || !endpoints().some((endpoint) => endpoint.name === name)) return 'off';
    await registerEndpoints(db, endpoints());
    const [state] = await findEndpoints(db, [name]);
    return state?.disabledAt == null ? undefined : 'disabled';
  }

  return {
    isPossible,
    async list() {
      const settings = Object.entries(config.current.plinth.auth.webhooks);
      const states =
        isPossible && settings.length > 0
          ? await findEndpoints(
              db,
              settings.map(([name]) => name),
            )
          : [];
      return settings.map(([name, { url, events, enabled }]) => {
        const state = states.find((each) => each.name === name);
        return {
          name,
          url: url ?? null,
          events,
          enabled,
          failingSince: state?.failingSince ?? null,
          disabledAt: state?.disabledAt ?? null,
          note: state?.note ?? null,
          waiting: state?.waiting ?? 0,
          failed: state?.failed ?? 0,
        };
      });
    },
    deliveries: async (filter) => (isPossible ? listDeliveries(db, filter) : []),
    delivery: async (id) => (isPossible ? findDelivery(db, id) : undefined),
    async sendAgain(id) {
      const found = isPossible ? await findDelivery(db, id) : undefined;
      if (found === undefined) return 'unknown';
      const refusal = await refusalOf(found.endpoint);
      if (refusal !== undefined) return refusal === 'unknown' ? 'off' : refusal;
      await sendAgain(db, id);
      await wake();
      return undefined;
    },
    async sendTest(name) {
      const refusal = await refusalOf(name);
      if (refusal !== undefined) return refusal;
      const id = await insertTest(db, name, testEventType);
      await wake();
      return { id };
    },
    async enable(name) {
      if (!isPossible || config.current.plinth.auth.webhooks[name] === undefined) return false;
      await enableEndpoint(db, name);
      await wake();
      return true;
    },
  };
}
