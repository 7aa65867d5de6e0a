/**
 * Sends events about users to the webhooks in plinth.toml (decision 134). The code that sends is loaded only if a
 * webhook is configured.
 */
import type { Clock } from '../../../base/kernel/clock.ts';
import type { Logger } from '../../../base/kernel/log.ts';
import type { Outgoing, Reach } from '../../../base/shared/network/outgoing.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database, Pool } from '../../../platform/database/types.ts';
import type { WebhookAdministration } from './administration.ts';
import { endpointsOf } from './endpoint.ts';
import type { Sender } from './sender.ts';

export interface WebhooksDeps {
  readonly database: Database;
  readonly db: Pool;
  readonly config: LiveConfig;
  readonly mode: 'development' | 'production';
  readonly outgoing: Outgoing;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface Webhooks {
  /** Resolves when all later changes are recorded. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Removes what the last webhook has left behind, if no process has a webhook in its settings anymore. */
  removeUnused(): Promise<void>;
  /** Loads the functions that the Console uses. */
  administration(): Promise<WebhookAdministration>;
}

/** The time after which webhooks that no process has in its settings are forgotten. Processes note them more often. */
const forgottenAfterMs = 60 * 60_000;

export function createWebhooks(deps: WebhooksDeps): Webhooks {
  const { database, db, config, mode, log } = deps;
  const endpoints = config.derive(endpointsOf);
  const privateHosts = config.derive(
    ({ plinth }) => new Set(plinth.jobs.private_hosts.map((host) => host.toLowerCase())),
  );
  // Operators can read the responses, so a webhook must not be a way to read the internal network.
  const reachOf = (url: string): Reach =>
    mode === 'development' || privateHosts().has(hostOf(url)) ? 'configured' : 'public';
  let sender: Promise<Sender> | undefined;
  let isStopped = false;

  async function apply(): Promise<void> {
    if (isStopped || !database.info.ownsSchemas) return;
    if (endpoints().length === 0 && sender === undefined) return;
    sender ??= load();
    const loaded = await sender;
    try {
      await loaded.prepare();
    } catch (error) {
      // The sender tries again with its next round.
      log.error({ error }, 'webhooks: failed to create the triggers, so changes are not recorded yet');
    }
    loaded.wake();
  }

  async function load(): Promise<Sender> {
    const { createSender } = await import('./sender.ts');
    const created = createSender({ ...deps, endpoints, reachOf });
    created.start();
    return created;
  }

  config.onChange(apply);
  return {
    async start() {
      if (endpoints().length > 0 && !database.info.ownsSchemas)
        log.warn({}, 'webhooks in plinth.toml have no effect, because Plinth does not manage this database');
      await apply();
    },
    async stop() {
      isStopped = true;
      await (await sender)?.stop();
    },
    async removeUnused() {
      if (endpoints().length > 0 || !database.info.ownsSchemas) return;
      const { listTriggers, syncTriggers } = await import('./triggers.ts');
      if ((await listTriggers(db)).length === 0) return;
      const { deleteEverything, wereEndpointsSeen } = await import('./queries.ts');
      if (await wereEndpointsSeen(db, forgottenAfterMs)) return;
      await syncTriggers(db, new Set(), { removesOthers: true });
      await deleteEverything(db);
    },
    async administration() {
      const { createAdministration } = await import('./administration.ts');
      return createAdministration({
        ...{ database, db, config, endpoints },
        wake: async () => (await sender)?.wake(),
      });
    },
  };
}

const hostOf = (url: string): string =>
  URL.canParse(url) ? new URL(url).hostname.replace(/^\[|\]$/g, '').toLowerCase() : '';
