import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Inbox, Mailer } from './types.ts';

export const migrations: MigrationSet = { room: 'mail', dir: new URL('./sql/', import.meta.url) };

export interface MailDeps {
  readonly database: Database;
  readonly config: Config;
  /** Port of the Mailpit-shaped API; 0 picks a free one. */
  readonly port: number;
  readonly host: string;
  readonly log: Logger;
}

/** The captured inbox (own port, Mailpit's REST shape) or SMTP when configured. `port()` after start. */
export declare function createMail(deps: MailDeps): Service & {
  readonly mailer: Mailer;
  readonly inbox: Inbox;
  port(): number | undefined;
};
