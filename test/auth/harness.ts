/** Starts the auth service behind the gateway with its own database and captured emails. */
import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type SupabaseClient } from '@supabase/supabase-js';
import type { Clock } from '../../src/base/kernel/clock.ts';
import { type Logger, silentLogger } from '../../src/base/kernel/log.ts';
import type { RequestRecord } from '../../src/base/kernel/trace.ts';
import { lowestPasswordCost } from '../../src/entry/testing.ts';
import { migrations as accountMigrations, createAccount } from '../../src/pages/account/index.ts';
import { configFrom, createLiveConfig, type PartialConfig } from '../../src/platform/config/index.ts';
import { createTestDatabase } from '../../src/platform/database/testing.ts';
import type { Database } from '../../src/platform/database/types.ts';
import { createKeys, type Keys } from '../../src/platform/keys/index.ts';
import {
  createGateway,
  createTrustedProxies,
  type Gateway,
  type Route,
} from '../../src/server/gateway/index.ts';
import {
  type AuthDeps,
  type AuthService,
  migrations as authMigrations,
  createAuth,
  type VisitorOperations,
} from '../../src/services/auth/index.ts';
import { createMail, migrations as mailMigrations } from '../../src/services/mail/index.ts';
import type { CapturedMessage } from '../../src/services/mail/types.ts';

/** The default type of JSON response bodies. Callers specify a different type for successful responses. */
interface WireError {
  readonly error_code?: string;
  readonly msg?: string;
}

type WireResponse = Omit<Response, 'json'> & { json<T = WireError>(): Promise<T> };

export interface AuthServer {
  readonly url: string;
  readonly keys: Keys;
  readonly database: Database;
  /** Changes the server's clock, which tokens and limits use. */
  readonly clock: {
    now(): number;
    advance(ms: number): void;
    /** Stops the clock, so that only `advance` moves it. */
    freeze(): void;
  };
  /** Returns a stock client with a separate session. */
  client(flowType?: 'implicit' | 'pkce'): SupabaseClient;
  /** Returns a stock client with the service key. */
  admin(): SupabaseClient;
  /** Sends a plain HTTP request below /auth/v1. */
  request(path: string, init?: RequestInit & { token?: string; json?: unknown }): Promise<WireResponse>;
  /** The records of the requests that the gateway has handled. */
  readonly records: readonly RequestRecord[];
  /** Returns the routes registered at the gateway, including prefixes. */
  routes(): Promise<readonly Route[]>;
  /** The operations that the Account pages run without a session. */
  visitor(): VisitorOperations;
  /** Issues the code that the Account pages pass to an app. */
  readonly issueCode: AuthService['issueCode'];
  /** Returns the emails to this address, newest first. */
  inbox(to: string): Promise<readonly CapturedMessage[]>;
  /** Changes settings from plinth.toml while the server runs. */
  configure(plinth: PartialConfig['plinth']): Promise<void>;
  /** Restarts the service on its database at the same address, which discards its in-memory state. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

export interface AuthServerOptions {
  /** `production` enables rate limits per client address. */
  readonly mode?: AuthDeps['mode'];
  readonly trustedProxies?: readonly string[];
  /** Settings from plinth.toml. */
  readonly plinth?: PartialConfig['plinth'];
  /** Handles requests to other servers. */
  readonly outgoing?: AuthDeps['outgoing'];
  /** The cost of new password hashes. The default is the lowest cost. */
  readonly passwordCost?: number | 'production';
  readonly log?: Logger;
  /** Reads TXT records of domains. */
  readonly resolveTxt?: AuthDeps['resolveTxt'];
  readonly hasAccountPages?: boolean;
  /** Also serves the Account pages with the same service. */
  readonly servesAccount?: boolean;
  /** Omits Plinth's own tables, as in a database of the hosted service. Emails can't be captured then. */
  readonly hostedDatabase?: boolean;
}

export async function startAuth(
  auth: PartialConfig['auth'] = {},
  {
    mode = 'development',
    trustedProxies = [],
    plinth = {},
    outgoing,
    passwordCost = lowestPasswordCost,
    log = silentLogger,
    resolveTxt,
    hasAccountPages = true,
    servesAccount = false,
    hostedDatabase = false,
  }: AuthServerOptions = {},
): Promise<AuthServer> {
  const { database, drop } = servesAccount
    ? await createTestDatabase('auth-account', (db) =>
        db.migrate([authMigrations, mailMigrations, accountMigrations]),
      )
    : await createTestDatabase('auth', (db) => db.migrate([authMigrations, mailMigrations]));
  // Emails to one user don't have a minimum interval, except in the tests of that interval.
  const configWith = (own: PartialConfig['plinth']) =>
    configFrom({ plinth: own, auth: { ...auth, email: { max_frequency: 0, ...auth?.email } } });
  const config = configWith(plinth);
  const liveConfig = createLiveConfig(config);
  const keys = createKeys({ mode: 'development', config, supabaseDir: '/nowhere', dataDir: '/nowhere' });
  let url = '';
  let offsetMs = 0;
  let frozenAtMs: number | undefined;
  const clock: Clock = { now: () => (frozenAtMs ?? Date.now()) + offsetMs };
  const mail = createMail({
    database,
    config: createLiveConfig(config),
    port: 0,
    host: '127.0.0.1',
    log: silentLogger,
  });
  if (hostedDatabase) await database.pool('supabase_admin').exec('drop schema _plinth cascade');
  const newService = (): AuthService =>
    createAuth({
      database: hostedDatabase ? { ...database, info: { ...database.info, ownsSchemas: false } } : database,
      keys,
      config: liveConfig,
      mailer: mail.mailer,
      projectDir: '/nowhere',
      apiUrl: () => url,
      mode,
      hasAccountPages,
      clock,
      observe: (call, work) => gateway.observe(call, work),
      ...(outgoing === undefined ? {} : { outgoing }),
      ...(resolveTxt === undefined ? {} : { resolveTxt }),
      ...(passwordCost === 'production' ? {} : { passwordCost }),
      log,
    });
  let service = newService();
  const records: RequestRecord[] = [];
  const newAccount = (auth: AuthService) =>
    createAccount({
      database,
      keys,
      config: createLiveConfig(config),
      auth,
      apiUrl: () => url,
      webDir: fileURLToPath(new URL('../../dist/web', import.meta.url)),
      clock,
      log,
      isDevelopment: true,
    });
  const proxies = createTrustedProxies(trustedProxies);
  const newGateway = (): Gateway =>
    createGateway({
      services: servesAccount ? [service, newAccount(service)] : [service],
      keys,
      log: silentLogger,
      trustedProxies: () => proxies,
      onRequestEnd: (record) => void records.push(record),
    });
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
    records,
    routes: () => gateway.routes(),
    visitor: () =>
      service.selfService.visitor({
        requestId: crypto.randomUUID(),
        ip: '127.0.0.1',
        userAgent: 'test',
        deviceId: undefined,
        host: new URL(url).host,
        language: 'en',
        redirectTo: '',
      }),
    issueCode: (request) => service.issueCode(request),
    async inbox(to) {
      const { messages } = await mail.inbox.list({ limit: 100, offset: 0, search: `to:"${to}"` });
      return messages;
    },
    async configure(changed) {
      await liveConfig.replace(configWith(changed));
    },
    async restart() {
      await gateway.close(100);
      // The clients in this process need time to detect that their connections are closed.
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

/** Returns an unused email address. */
export function newEmail(): string {
  counter += 1;
  // The name contains only letters, because tests search emails for a code of six digits.
  const name = Array.from({ length: 6 }, () => String.fromCharCode(97 + randomInt(26))).join('');
  return `user${counter}-${name}@example.com`;
}

/** Returns the code in an email: the only isolated group of six digits. */
export function codeOf(message: CapturedMessage | undefined): string {
  const code = /(?<!\d)\d{6}(?!\d)/.exec(message?.text ?? '')?.[0];
  if (code === undefined) throw new Error(`no code in: ${message?.text}`);
  return code;
}

/** Returns the link in an email. */
export function linkOf(message: CapturedMessage | undefined): string {
  const link = /http\S+\/verify\?\S+/.exec(message?.text ?? '')?.[0];
  if (link === undefined) throw new Error(`no link in: ${message?.text}`);
  return link;
}
