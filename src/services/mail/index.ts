/**
 * Handles outgoing email. Captures email in the development inbox or sends it through the project's SMTP server. The
 * inbox is stored in the database and served on a separate port in the format of Mailpit's REST API.
 */
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import type { Logger } from '../../base/kernel/log.ts';
import { LabeledCounts } from '../../base/kernel/metrics/values.ts';
import type { Service } from '../../base/kernel/service.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database, MigrationSet } from '../../platform/database/types.ts';
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

export const migrations: MigrationSet = { module: 'mail', dir: new URL('./sql/', import.meta.url) };

export interface MailDeps {
  readonly database: Database;
  readonly config: LiveConfig;
  /**
   * The port of the Mailpit-compatible API. 0 selects a free port. If undefined, the inbox is available only on the
   * Console's inbox page.
   */
  readonly port: number | undefined;
  readonly host: string;
  readonly log: Logger;
}

/** The maximum number of stored messages. If more messages are stored, the oldest messages are deleted. */
const maxMessages = 5000;
const sweepEvery = 100;
/** The default of `[local_smtp] sender_name`. In emails, the project's name replaces this default. */
const defaultSenderName = 'Admin';

/**
 * Creates the mail service. Email is sent by SMTP if SMTP is configured. Otherwise, email is captured in the inbox,
 * which is served on a separate port in Mailpit's REST format. `port()` is available after startup.
 */
export function createMail(deps: MailDeps): Service & {
  readonly mailer: Mailer;
  readonly inbox: Inbox;
  port(): number | undefined;
} {
  const db = deps.database.pool('supabase_admin');
  const { config } = deps;
  const createTransport = () => {
    const { smtp: settings } = config.current.auth.email;
    return settings.enabled ? createSmtp(settings) : undefined;
  };
  let smtp = createTransport();
  config.onChange(({ auth }, previous) => {
    if (isDeepStrictEqual(auth.email.smtp, previous.auth.email.smtp)) return;
    const before = smtp;
    smtp = createTransport();
    before?.close();
  });
  let server: Server | undefined;
  let captured = 0;
  const counts = new LabeledCounts([
    ['email', 'sent'],
    ['email', 'captured'],
    ['email', 'failed'],
    ['sms', 'captured'],
    ['sms', 'failed'],
  ]);

  async function store(
    message: Omit<MessageRow, 'id' | 'is_read' | 'created_at' | 'from_name' | 'from_address'>,
    fromName?: string,
  ): Promise<void> {
    const { sender_name, admin_email } = config.current.local_smtp;
    const name = sender_name === defaultSenderName ? (fromName ?? sender_name) : sender_name;
    const from = { from_name: name, from_address: admin_email };
    await insertMessage(db, { id: randomBytes(11).toString('hex'), ...from, ...message });
    captured += 1;
    if (captured % sweepEvery === 0) await deleteOldest(db, maxMessages);
  }

  /** Sends or captures a message and counts the result. */
  async function counted(kind: 'email' | 'sms', outcome: 'sent' | 'captured', work: Promise<void>) {
    try {
      await work;
      counts.add([kind, outcome]);
    } catch (error) {
      counts.add([kind, 'failed']);
      throw error;
    }
  }

  const mailer: Mailer = {
    async sendMail(mail) {
      const { to, subject, html, text, headers = {} } = mail;
      const transport = smtp;
      if (transport) await counted('email', 'sent', transport.send(mail));
      else
        await counted(
          'email',
          'captured',
          store({ kind: 'mail', recipient: to, subject, html, text, headers }, mail.fromName),
        );
      deps.log.info({ recipient: to, subject }, transport ? 'email sent' : 'email captured');
    },
    async captureSms({ to, body, channel }) {
      const subject = channel === 'whatsapp' ? 'WhatsApp message' : 'Text message';
      await counted(
        'sms',
        'captured',
        store({ kind: 'sms', recipient: to, subject, html: '', text: body, headers: {} }),
      );
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
    metrics: () => ({ plinth_mail_total: counts.samples() }),
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
