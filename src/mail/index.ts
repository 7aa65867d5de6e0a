/**
 * Outgoing email: captured in the development inbox, or sent through the project's SMTP server. The inbox is stored in
 * the database and served on a separate port in the format of Mailpit's REST API.
 */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import { isoTime } from './core/mailpit.ts';
import { parseSearch } from './core/search.ts';
import {
  countMessages,
  deleteMessages,
  deleteOldest,
  findMessage,
  insertMessage,
  listMessages,
  type MessageRow,
  markRead,
} from './queries.ts';
import { createInboxServer } from './server.ts';
import { createSmtp } from './smtp.ts';
import type { CapturedMessage, Inbox, Mailer } from './types.ts';

export type { CapturedMessage, Inbox, Mailer, OutgoingMail, OutgoingSms } from './types.ts';

export const migrations: MigrationSet = { room: 'mail', dir: new URL('./sql/', import.meta.url) };

export interface MailDeps {
  readonly database: Database;
  readonly config: Config;
  /**
   * The port of the Mailpit-compatible API. 0 selects a free port. If undefined, only the Console's inbox page is
   * available.
   */
  readonly port: number | undefined;
  readonly host: string;
  readonly log: Logger;
}

/** Older messages are deleted first. */
const keptMessages = 5000;
const sweepEvery = 100;

/**
 * Captures email in the inbox (on a separate port, in Mailpit's REST format), or sends it by SMTP if configured.
 * `port()` is available after startup.
 */
export function createMail(deps: MailDeps): Service & {
  readonly mailer: Mailer;
  readonly inbox: Inbox;
  port(): number | undefined;
} {
  const db = deps.database.pool('supabase_admin');
  const { local_smtp: capture, auth } = deps.config;
  const smtp = auth.email.smtp.enabled ? createSmtp(auth.email.smtp) : undefined;
  let server: Server | undefined;
  let captured = 0;

  async function store(
    message: Omit<MessageRow, 'id' | 'is_read' | 'created_at' | 'from_name' | 'from_address'>,
  ): Promise<void> {
    const from = { from_name: capture.sender_name, from_address: capture.admin_email };
    await insertMessage(db, { id: randomBytes(11).toString('hex'), ...from, ...message });
    captured += 1;
    if (captured % sweepEvery === 0) await deleteOldest(db, keptMessages);
  }

  const mailer: Mailer = {
    async sendMail(mail) {
      const { to, subject, html, text, headers = {} } = mail;
      if (smtp) await smtp.send(mail);
      else await store({ kind: 'mail', recipient: to, subject, html, text, headers });
      deps.log.info({ recipient: to, subject }, smtp ? 'email sent' : 'email captured');
    },
    async captureSms({ to, body, channel }) {
      const subject = channel === 'whatsapp' ? 'WhatsApp message' : 'Text message';
      await store({ kind: 'sms', recipient: to, subject, html: '', text: body, headers: {} });
      deps.log.info({ recipient: to }, 'text message captured');
    },
  };

  const inbox: Inbox = {
    async list({ limit, offset, search }) {
      const terms = parseSearch(search ?? '');
      const [rows, counts] = await Promise.all([
        listMessages(db, { limit, offset, terms }),
        countMessages(db, terms),
      ]);
      return { total: counts.total, messages: rows.map(toCaptured) };
    },
    async get(id) {
      const row = await findMessage(db, id);
      return row && toCaptured(row);
    },
    markRead: (id) => markRead(db, [id], true),
    remove: (ids) => deleteMessages(db, ids),
  };

  return {
    name: 'mail',
    mounts: [],
    mailer,
    inbox,
    port: () => (server?.address() as AddressInfo | null | undefined)?.port,
    async start() {
      if (deps.port === undefined) return;
      server = createInboxServer(db, deps.log);
      await listen(server, deps.port, deps.host);
    },
    async stop() {
      smtp?.close();
      const open = server;
      server = undefined;
      if (!open) return;
      await new Promise<void>((resolve) => {
        open.close(() => resolve());
        open.closeAllConnections();
      });
    },
  };
}

async function listen(server: Server, port: number, host: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}

function toCaptured(row: MessageRow): CapturedMessage {
  return {
    id: row.id,
    kind: row.kind,
    from: { name: row.from_name, address: row.from_address },
    to: row.recipient,
    subject: row.subject,
    html: row.html,
    text: row.text,
    createdAt: isoTime(row),
    read: row.is_read,
  };
}
