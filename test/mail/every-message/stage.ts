/**
 * Starts a server that can send every message, and simulates the recipient's inbox and a browser that shows the
 * server's Account pages.
 */

import { organizationsMigration } from '../../../src/entry/cli/organizations.ts';
import type { Backend } from '../../../src/entry/main.ts';
import { createTestBackend } from '../../../src/entry/testing.ts';
import type { PartialConfig } from '../../../src/platform/config/index.ts';
import { createInternet, type Internet } from '../../auth/social/internet.ts';
import { freePort } from '../../support/free-port.ts';

export type Language = 'en' | 'ar';
export const languages: readonly Language[] = ['en', 'ar'];
export const password = 'correct horse battery 1';
const hour = 3_600_000;

/** An email or a text message, as the recipient's program shows it. */
export interface Message {
  readonly id: string;
  readonly from: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly token: string;
}

export interface Stage {
  readonly backend: Backend;
  readonly internet: Internet;
  /** The server's origin, which contains a host name instead of an IP address. */
  readonly origin: string;
  /** The headers of a browser that prefers this language. */
  browserHeaders(language: Language): Record<string, string>;
  newEmail(): string;
  newPhone(): string;
  /** Sends a request to auth from an Account page in this language. */
  auth<T>(language: Language, path: string, request?: AuthRequest): Promise<T>;
  /** Sends a request to `/account/api` from a browser with these cookies. */
  account(language: Language, path: string, json?: object, cookie?: string): Promise<Response>;
  /** Presses the button on the page that a link in an email opens. */
  press(language: Language, link: string): Promise<void>;
  /** Creates a user with a confirmed address who has signed in. */
  person(language: Language): Promise<Person>;
  /** Waits for a matching unread message to the address, and returns the newest matching message. */
  received(to: string, matching?: RegExp): Promise<Message>;
  stop(): Promise<void>;
}

export interface AuthRequest {
  readonly method?: string;
  readonly token?: string;
  readonly json?: object;
  /** The IP address of the browser. */
  readonly address?: string;
  /** Whether the request is sent with the service key. */
  readonly isAdmin?: boolean;
}

/** The browser, the IP address and the network that are expected in notices. */
const windowsChrome =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36';
const ownAddress = '203.0.113.7';

const configFor = (origin: string, port: number): PartialConfig => ({
  api: { port, external_url: origin },
  auth: {
    site_url: origin,
    enable_anonymous_sign_ins: true,
    enable_manual_linking: true,
    rate_limit: { sms_sent: 1000, email_sent: 1000 },
    email: { enable_confirmations: true, max_frequency: 0 },
    sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
    passkey: { enabled: true },
    webauthn: { rp_id: 'localhost', rp_display_name: 'Harbor', rp_origins: [origin] },
    mfa: {
      totp: { enroll_enabled: true, verify_enabled: true },
      phone: { enroll_enabled: true, verify_enabled: true, max_frequency: 0 },
    },
    oauth_server: { enabled: true, allow_dynamic_registration: true },
    external: { github: { enabled: true, client_id: 'github-client', secret: 'secret' } },
  },
  plinth: {
    server: { trusted_proxies: ['127.0.0.1'] },
    account: {
      deletion: true,
      organizations: true,
    },
    branding: { name: 'Harbor', color: '#0f766e', support_url: 'https://harbor.example/help' },
    auth: {
      api_keys: { enabled: true },
      security: {
        notices: 'account',
        factor_removal_wait: 72 * hour,
        lockout: { after: 3, first_wait: 60_000 },
      },
    },
  },
});

export async function openStage(): Promise<Stage> {
  const [port, internet] = await Promise.all([freePort(), createInternet()]);
  const origin = `http://localhost:${port}`;
  const backend = await createTestBackend({
    port,
    sql: organizationsMigration(),
    config: configFor(origin, port),
    outgoing: internet.outgoing,
  });
  const mailUrl = backend.status().MAILPIT_URL ?? '';
  const read = new Set<string>();
  let count = 0;

  const browserHeaders = (language: Language) => ({
    'accept-language': language === 'en' ? 'en-GB,en;q=0.9' : 'ar-EG,ar;q=0.9',
    'user-agent': windowsChrome,
    'x-forwarded-for': ownAddress,
  });
  const headersFor = (language: Language) => ({
    ...browserHeaders(language),
    'content-type': 'application/json',
  });

  const stage: Stage = {
    backend,
    internet,
    origin,
    browserHeaders,
    newEmail: () => `reader-${++count}@example.com`,
    newPhone: () => `44770090${String(++count).padStart(4, '0')}`,
    async auth(language, path, { method, token, json, address, isAdmin = false } = {}) {
      const { publishableKey, serviceRoleKey } = backend.keys;
      const bearer = isAdmin ? serviceRoleKey : token;
      const response = await fetch(`${origin}/auth/v1${path}`, {
        method: method ?? (json === undefined ? 'GET' : 'POST'),
        redirect: 'manual',
        headers: {
          ...headersFor(language),
          apikey: isAdmin ? serviceRoleKey : publishableKey,
          redirect_to: `${origin}/account/security`,
          ...(address === undefined ? {} : { 'x-forwarded-for': address }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      const text = await response.text();
      if (response.status >= 400) throw new Error(`${path}: ${response.status} ${text}`);
      return text === '' ? undefined : JSON.parse(text);
    },
    async account(language, path, json, cookie = '') {
      const response = await fetch(`${origin}/account/api/${path}`, {
        method: json === undefined ? 'GET' : 'POST',
        headers: { ...headersFor(language), 'x-plinth-request': '1', origin, cookie },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
      });
      if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
      return response;
    },
    async press(language, link) {
      const headers = browserHeaders(language);
      const page = await fetch(link, { headers });
      const cookie = page.headers.getSetCookie().map((one) => one.split(';', 1)[0]);
      const mark = /name="mark" value="([^"]+)"/.exec(await page.text())?.[1] ?? '';
      const response = await fetch(link, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          ...headers,
          cookie: cookie.join('; '),
          origin,
        },
        body: new URLSearchParams({ mark, token: new URL(link).searchParams.get('token') ?? '' }),
      });
      if (response.status !== 303) throw new Error(`${link}: ${response.status} ${await response.text()}`);
    },
    async person(language) {
      const email = stage.newEmail();
      const user = { email, password, email_confirm: true };
      const { id } = await stage.auth<{ id: string }>('en', '/admin/users', { json: user, isAdmin: true });
      const { access_token: token } = await stage.auth<{ access_token: string }>(
        language,
        '/token?grant_type=password',
        { json: { email, password } },
      );
      return { id, email, token };
    },
    async received(to, matching = /(?:)/) {
      const search = `${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`;
      let subjects: string[] = [];
      for (let attempt = 0; attempt < 200; attempt += 1) {
        const { messages } = (await (await fetch(search)).json()) as {
          messages: { ID: string; Subject: string }[];
        };
        subjects = messages.map(({ Subject }) => Subject);
        const found = messages.find(({ ID, Subject }) => !read.has(ID) && matching.test(Subject));
        if (found !== undefined) {
          read.add(found.ID);
          return readMessage(mailUrl, found.ID);
        }
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      throw new Error(`No message matching ${matching} came to ${to}, only: ${subjects.join(', ')}`);
    },
    async stop() {
      await backend.stop();
      await internet.stop();
    },
  };
  return stage;
}

async function readMessage(mailUrl: string, id: string): Promise<Message> {
  const mail = (await (await fetch(`${mailUrl}/api/v1/message/${id}`)).json()) as {
    From: { Name: string };
    Subject: string;
    Text: string;
    HTML: string;
  };
  return { id, from: mail.From.Name, subject: mail.Subject, text: mail.Text, html: mail.HTML };
}
