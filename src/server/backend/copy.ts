/**
 * The settings of a branch, or of a restored copy that isn't promoted. The server of the original data may still be
 * running. Therefore, the copy sends no emails, text messages or webhooks, runs no jobs, and doesn't write to the
 * original's backups or bucket.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Health } from '../../base/kernel/service.ts';
import { branchMarker, copyMarker } from '../../base/shared/restore-markers.ts';
import type { Config } from '../../platform/config/index.ts';

export const isCopy = (dataDir: string): boolean =>
  [copyMarker, branchMarker].some((name) => existsSync(join(dataDir, name)));

export const copyMessage =
  'This server is a restored copy, so it sends no emails, text messages or webhooks, runs no jobs and creates no backups. To use it as the production server, run "plinth promote" and restart it.';

export const copyHealth: Health = { status: 'degraded', message: copyMessage };

/** Returns a configuration that captures emails, as if no SMTP server were configured. */
export function configOfCopy(config: Config): Config {
  const { auth, plinth } = config;
  const off = <T extends { readonly enabled: boolean }>(part: T): T => ({ ...part, enabled: false });
  const { sms } = auth;
  return {
    ...config,
    auth: {
      ...auth,
      email: { ...auth.email, smtp: off(auth.email.smtp) },
      hook: { ...auth.hook, send_email: off(auth.hook.send_email), send_sms: off(auth.hook.send_sms) },
      sms: {
        ...sms,
        twilio: off(sms.twilio),
        twilio_verify: off(sms.twilio_verify),
        messagebird: off(sms.messagebird),
        textlocal: off(sms.textlocal),
        vonage: off(sms.vonage),
      },
    },
    plinth: {
      ...plinth,
      auth: { ...plinth.auth, webhooks: {} },
      backup: { ...plinth.backup, to: undefined },
      storage: { ...plinth.storage, webhook: { ...plinth.storage.webhook, url: undefined } },
    },
  };
}
