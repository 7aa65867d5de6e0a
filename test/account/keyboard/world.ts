/**
 * Sets up the environment of the flows: a server with every feature enabled, captured emails, an app and identity
 * providers.
 */
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Backend } from '../../../src/entry/main.ts';
import { createTestBackend, type TestBackendOptions } from '../../../src/entry/testing.ts';
import type { PartialConfig } from '../../../src/platform/config/index.ts';
import { buildAnswer, createIdp, readRequest, signAnswer } from '../../auth/saml-idp.ts';
import { idpClient, type RealIdp, startRealIdp } from '../../auth/social/real-idp.ts';
import { freePort } from '../../support/free-port.ts';
import { handOverSql } from '../hand-over-sql.ts';
import { makeUser } from '../harness.ts';

export interface World {
  readonly backend: Backend;
  /**
   * The origin of the Account pages. The mail and provider servers have a different address, so they count as other
   * sites.
   */
  readonly origin: string;
  /** The app's redirect URL. */
  readonly appUrl: string;
  /** The accounts at the OpenID Connect provider. */
  readonly accounts: RealIdp['accounts'];
  /** The domain whose users sign in with SAML, and the address of the next user who signs in. */
  readonly company: { readonly domain: string; email: string };
  newEmail(): string;
  newPhone(): string;
  /** Creates a confirmed user with the harness's password. */
  newUser(): Promise<string>;
  /** Returns the text of the next unread email to an address. */
  nextMail(to: string): Promise<string>;
  /** Returns a page of the SAML provider with a form that signs the user in without a request from Plinth. */
  unsolicited(relayState: string): string;
  /** Sends a request to auth as an administrator. */
  admin<T>(path: string, json?: object): Promise<T>;
  stop(): Promise<void>;
}

const listen = async (server: Server): Promise<string> => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const page = (title: string, body: string): string =>
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}`;

/** Starts the environment. `change` overrides settings, for flows that need a project with different rules. */
export async function openWorld(
  change: {
    auth?: PartialConfig['auth'];
    account?: NonNullable<PartialConfig['plinth']>['account'];
    saml?: object;
  } = {},
  options: Pick<TestBackendOptions, 'outgoing'> = {},
): Promise<World> {
  const port = await freePort();
  const origin = `http://localhost:${port}`;
  const idp = await startRealIdp();
  const app = createServer((_request, response) => {
    response.setHeader('content-type', 'text/html').end(page('The app', ''));
  });
  const appUrl = `${await listen(app)}/callback`;
  const company = { domain: 'works.example', email: 'ada@works.example' };
  const saml = createIdp();
  function samlForm(relayState: string, button: string, inResponseTo?: string): string {
    const acs = `${origin}/auth/v1/sso/saml/acs`;
    const answer = buildAnswer({
      acs,
      audience: `${origin}/auth/v1/sso/saml/metadata`,
      issuer: saml.entityId,
      inResponseTo,
      nameId: company.email,
      email: company.email,
    });
    const fields = {
      SAMLResponse: Buffer.from(signAnswer(saml, answer, 'Assertion')).toString('base64'),
      RelayState: relayState,
    };
    const inputs = Object.entries(fields).map(
      ([name, value]) => `<input type="hidden" name="${name}" value="${value}">`,
    );
    return `<form method="post" action="${acs}">${inputs.join('')}<button>${button}</button></form>`;
  }
  // Like a real provider's page, this page sends the response only after the user has clicked.
  const samlPage = createServer((request, response) => {
    if (!request.url?.includes('SAMLRequest=')) return void response.writeHead(404).end();
    const { id, relayState } = readRequest(`http://idp${request.url}`);
    const form = samlForm(relayState, 'Enter the works', id);
    response.setHeader('content-type', 'text/html').end(page('The works', form));
  });
  const samlUrl = await listen(samlPage);

  const backend = await createTestBackend({
    port,
    sql: handOverSql,
    ...options,
    config: {
      api: { port, external_url: origin },
      auth: {
        site_url: origin,
        additional_redirect_urls: [appUrl],
        enable_anonymous_sign_ins: true,
        enable_manual_linking: true,
        password_requirements: 'letters_digits',
        rate_limit: { sms_sent: 1000 },
        email: { enable_confirmations: true, max_frequency: 0 },
        sms: { enable_signup: true, enable_confirmations: true, max_frequency: 0 },
        passkey: { enabled: true },
        webauthn: { rp_id: 'localhost', rp_display_name: 'Meadow', rp_origins: [origin] },
        mfa: {
          totp: { enroll_enabled: true, verify_enabled: true },
          phone: { enroll_enabled: true, verify_enabled: true, max_frequency: 0 },
          web_authn: { enroll_enabled: true, verify_enabled: true },
        },
        web3: { ethereum: { enabled: true }, solana: { enabled: true } },
        oauth_server: { enabled: true, allow_dynamic_registration: true },
        external: {
          keycloak: {
            enabled: true,
            client_id: idpClient.client_id,
            secret: idpClient.client_secret,
            url: `${idp.url}/`,
          },
        },
        ...change.auth,
      },
      plinth: {
        // Lets flows send requests from several networks.
        server: { trusted_proxies: ['127.0.0.1'] },
        branding: { name: 'Meadow', terms_url: '/terms', privacy_url: '/privacy' },
        auth: {
          api_keys: { enabled: true, scopes: ['notes:read', 'notes:write'] },
          saml: { enabled: true, private_key: newSamlKey(), ...change.saml },
          hook: { guest_hand_over: { enabled: true, uri: 'pg-functions://postgres/public/hand_over_guest' } },
        },
        account: { confirm_by_button: true, deletion: true, ...change.account },
      },
    },
  });
  const path = '/protocol/openid-connect';
  idp.open({
    issuer: idp.url,
    redirectUri: `${origin}/auth/v1/callback`,
    pkce: false,
    routes: { authorization: `${path}/auth`, token: `${path}/token`, userinfo: `${path}/userinfo` },
  });

  async function admin<T>(path: string, json?: object): Promise<T> {
    const { serviceRoleKey } = backend.keys;
    const response = await backend.fetch(`/auth/v1${path}`, {
      method: json === undefined ? 'GET' : 'POST',
      headers: {
        apikey: serviceRoleKey,
        authorization: `Bearer ${serviceRoleKey}`,
        'content-type': 'application/json',
      },
      ...(json === undefined ? {} : { body: JSON.stringify(json) }),
    });
    const body = (await response.json()) as T;
    if (!response.ok) throw new Error(`${path}: ${JSON.stringify(body)}`);
    return body;
  }
  await admin('/admin/sso/providers', {
    type: 'saml',
    metadata_xml: saml.metadata().replaceAll('https://idp.example.com', samlUrl),
    domains: [company.domain],
  });

  const mailUrl = backend.status().MAILPIT_URL;
  const read = new Set<string>();
  async function nextMail(to: string): Promise<string> {
    const search = `${mailUrl}/api/v1/search?query=${encodeURIComponent(`to:"${to}"`)}`;
    for (let attempt = 0; attempt < 600; attempt += 1) {
      const { messages } = (await (await fetch(search)).json()) as { messages: { ID: string }[] };
      // The list is sorted from newest to oldest, so the last unread email is the oldest one.
      const id = messages.map(({ ID }) => ID).findLast((one) => !read.has(one));
      if (id !== undefined) {
        read.add(id);
        const { Text } = (await (await fetch(`${mailUrl}/api/v1/message/${id}`)).json()) as { Text: string };
        // Security notices are skipped, because they aren't part of a flow and can arrive at any time.
        if (!Text.includes('/account/not-me?')) return Text;
        continue;
      }
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`Nothing came to ${to}.`);
  }

  let count = 0;
  const newEmail = (): string => `walker-${++count}@example.com`;
  return {
    backend,
    origin,
    appUrl,
    accounts: idp.accounts,
    company,
    newEmail,
    newPhone: () => `44770090${String(++count).padStart(4, '0')}`,
    async newUser() {
      const email = newEmail();
      await makeUser(backend, email);
      return email;
    },
    unsolicited: (relayState) => page('The portal', samlForm(relayState, 'Open the app')),
    nextMail,
    admin,
    async stop() {
      await backend.stop();
      await idp.stop();
      for (const server of [app, samlPage]) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

/** Returns a new key in the format that the setting for SAML keys requires: PKCS#1 in base64. */
function newSamlKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'der' }).toString('base64');
}

export const codeIn = (mail: string): string => /\b\d{6}\b/.exec(mail)?.[0] ?? '';
export const linkIn = (mail: string): string => /http\S+\/account\/confirm\?\S+/.exec(mail)?.[0] ?? '';

export interface Asked {
  /** The query string that an app appends when it redirects users to an Account page. */
  readonly search: string;
  readonly challenge: string;
  readonly verifier: string;
}

/** Returns the parameters that an app needs to redirect a user to the Account pages (RFC 7636). */
export function askAsApp(world: World): Asked {
  const verifier = randomBytes(32).toString('base64url');
  const challenge = createHash('sha256').update(verifier).digest('base64url');
  const query = new URLSearchParams({
    redirect_to: `${world.appUrl}?tab=2`,
    code_challenge: challenge,
    code_challenge_method: 's256',
  });
  return { search: `?${query}`, challenge, verifier };
}

/** Redeems the code as the app does, and returns the user's email address and the session's assurance level. */
export async function redeem(
  { backend }: World,
  returned: string,
  verifier: string,
): Promise<{ email: string; aal: string }> {
  const response = await backend.fetch('/auth/v1/token?grant_type=pkce', {
    method: 'POST',
    headers: { apikey: backend.keys.publishableKey, 'content-type': 'application/json' },
    body: JSON.stringify({
      auth_code: new URL(returned).searchParams.get('code'),
      code_verifier: verifier,
    }),
  });
  const { access_token: token, user } = (await response.json()) as {
    access_token: string;
    user: { email: string };
  };
  const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString();
  return { email: user.email, aal: (JSON.parse(payload) as { aal: string }).aal };
}

/**
 * Starts the environment for a project that requires a second factor, a captcha and the current password for a password
 * change.
 */
export const openStrictWorld = (outgoing: TestBackendOptions['outgoing']): Promise<World> =>
  openWorld(
    {
      auth: {
        captcha: { enabled: true, provider: 'hcaptcha', secret: 'site-secret' },
        email: { require_current_password: true },
      },
      account: { require_mfa: true, captcha_site_key: 'site-key' },
    },
    outgoing === undefined ? {} : { outgoing },
  );
