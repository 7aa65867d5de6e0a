/** The auth service behind the gateway on a database of its own, with the captured inbox beside it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import {
  type AuthDeps,
  type AuthService,
  migrations as authMigrations,
  createAuth,
} from '../../src/auth/index.ts';
import { configFrom, type PartialConfig } from '../../src/config/index.ts';
import { createTestDatabase } from '../../src/database/testing.ts';
import type { Database } from '../../src/database/types.ts';
import { createGateway, type Route } from '../../src/gateway/index.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { type Logger, silentLogger } from '../../src/kernel/log.ts';
import { createKeys, type Keys } from '../../src/keys/index.ts';
import { createMail, migrations as mailMigrations } from '../../src/mail/index.ts';
import type { CapturedMessage } from '../../src/mail/types.ts';

/** JSON from the wire: an error unless the caller says what else. */
interface WireError {
  readonly error_code?: string;
  readonly msg?: string;
}

type WireResponse = Omit<Response, 'json'> & { json<T = WireError>(): Promise<T> };

export interface AuthServer {
  readonly url: string;
  readonly keys: Keys;
  readonly database: Database;
  /** Moves the server's clock; tokens and limits follow it. */
  readonly clock: {
    now(): number;
    advance(ms: number): void;
    /** From now on time passes by `advance` alone. */
    freeze(): void;
  };
  /** A stock client, each with a session of its own. */
  client(flowType?: 'implicit' | 'pkce'): SupabaseClient;
  /** A stock client with the service key. */
  admin(): SupabaseClient;
  /** Plain HTTP below /auth/v1. */
  request(path: string, init?: RequestInit & { token?: string; json?: unknown }): Promise<WireResponse>;
  /** Registered at the gateway, prefixes included. */
  routes(): readonly Route[];
  /** What the Account pages ask of the service. */
  readonly issueCode: AuthService['issueCode'];
  /** Messages to this address, the newest first. */
  inbox(to: string): Promise<readonly CapturedMessage[]>;
  /** Ends the service and starts it again on its database, at the same address: what it kept in memory is gone. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface AuthServerOptions {
  /** `production`: addresses are limited. */
  readonly mode?: AuthDeps['mode'];
  readonly trustedProxies?: readonly string[];
  /** Settings of plinth.toml. */
  readonly plinth?: PartialConfig['plinth'];
  /** Stands for the servers of others. */
  readonly outgoing?: AuthDeps['outgoing'];
  readonly log?: Logger;
  readonly hasAccountPages?: boolean;
  /** Without tables of ours, as on a database of the hosted service. Mail cannot be captured there. */
  readonly hostedDatabase?: boolean;
}

export async function startAuth(
  auth: PartialConfig['auth'] = {},
  {
    mode = 'development',
    trustedProxies = [],
    plinth = {},
    outgoing,
    log = silentLogger,
    hasAccountPages = true,
    hostedDatabase = false,
  }: AuthServerOptions = {},
): Promise<AuthServer> {
  const { database, drop } = await createTestDatabase('auth', (db) =>
    db.migrate([authMigrations, mailMigrations]),
  );
  // Without a pause between mails, which only its own test is about.
  const config = configFrom({ plinth, auth: { ...auth, email: { max_frequency: 0, ...auth?.email } } });
  const keys = createKeys({ mode: 'development', config, supabaseDir: '/nowhere', dataDir: '/nowhere' });
  let url = '';
  let offsetMs = 0;
  let frozenAtMs: number | undefined;
  const clock: Clock = { now: () => (frozenAtMs ?? Date.now()) + offsetMs };
  const mail = createMail({ database, config, port: 0, host: '127.0.0.1', log: silentLogger });
  if (hostedDatabase) await database.pool('supabase_admin').exec('drop schema _plinth cascade');
  const newService = () =>
    createAuth({
      database: hostedDatabase ? { ...database, info: { ...database.info, ownsSchemas: false } } : database,
      keys,
      config,
      mailer: mail.mailer,
      projectDir: '/nowhere',
      apiUrl: () => url,
      mode,
      hasAccountPages,
      clock,
      ...(outgoing === undefined ? {} : { outgoing }),
      log,
    });
  let service = newService();
  const newGateway = () => createGateway({ services: [service], keys, log: silentLogger, trustedProxies });
  let gateway = newGateway();
  const port = await gateway.listen('127.0.0.1', 0);
  url = `http://127.0.0.1:${port}`;

  const options = { autoRefreshToken: false, persistSession: false, detectSessionInUrl: false };
  return {
    url,
    keys,
    database,
    clock: {
      now: clock.now,
      advance(ms) {
        offsetMs += ms;
      },
      freeze() {
        frozenAtMs ??= Date.now();
      },
    },
    client: (flowType = 'implicit') =>
      createClient(url, keys.anonKey, { auth: { ...options, flowType, storageKey: crypto.randomUUID() } }),
    admin: () =>
      createClient(url, keys.serviceRoleKey, { auth: { ...options, storageKey: crypto.randomUUID() } }),
    request: async (path, { token, json, ...init } = {}) =>
      (await fetch(`${url}/auth/v1${path}`, {
        redirect: 'manual',
        ...init,
        ...(json === undefined ? {} : { body: JSON.stringify(json), method: init.method ?? 'POST' }),
        headers: {
          apikey: keys.anonKey,
          'content-type': 'application/json',
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
          ...init.headers,
        },
      })) as WireResponse,
    routes: () => gateway.routes(),
    issueCode: (request) => service.issueCode(request),
    async inbox(to) {
      const { messages } = await mail.inbox.list({ limit: 100, offset: 0, search: `to:"${to}"` });
      return messages;
    },
    async restart() {
      await gateway.close(100);
      // The clients of this process notice that their connections are closed.
      await sleep(100);
      service = newService();
      gateway = newGateway();
      await gateway.listen('127.0.0.1', port);
    },
    async stop() {
      await gateway.close(100);
      await mail.stop?.();
      await drop();
    },
  };
}

let counter = 0;

/** An address nobody has used. */
export function newEmail(): string {
  counter += 1;
  return `user${counter}-${Math.random().toString(36).slice(2, 8)}@example.com`;
}

/** The code of a mail: the only six digits that stand alone. */
export function codeOf(message: CapturedMessage | undefined): string {
  const code = /(?<!\d)\d{6}(?!\d)/.exec(message?.text ?? '')?.[0];
  if (code === undefined) throw new Error(`no code in: ${message?.text}`);
  return code;
}

/** The link of a mail. */
export function linkOf(message: CapturedMessage | undefined): string {
  const link = /http\S+\/verify\?\S+/.exec(message?.text ?? '')?.[0];
  if (link === undefined) throw new Error(`no link in: ${message?.text}`);
  return link;
}
