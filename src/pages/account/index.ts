/**
 * The server side of the Account pages. Serves the built pages at `/account`, stores the sessions of browsers, each of
 * which is identified by an httpOnly cookie, and returns users to the calling app with a separate session.
 *
 * Glossary. *Page*: HTML that is prerendered at build time, filled with the project's settings on first use, and given
 * a nonce for each response. *Session*: a row of `_plinth.account_sessions`, identified by the cookie. *Return*: the
 * redirect to the app, with a PKCE code or a session in the fragment.
 */

import type { Clock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import type { Service } from '../../base/kernel/service.ts';
import { createWebFace } from '../../base/kernel/web-face.ts';
import { isAccountPage } from '../../base/shared/account.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database, MigrationSet } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { SelfService } from '../../services/auth/index.ts';
import { createAuthClient } from './auth-client.ts';
import type { ConsentDeps, GuestDeps, ReturnDeps } from './auth-deps.ts';
import { createBrowserSignIn } from './browser-sign-in.ts';
import { allowsKeysAt, offersOf, providersOf } from './core/offers.ts';
import { hostOf } from './core/return-to.ts';
import { prepareDevice } from './device.ts';
import { overloaded } from './errors.ts';
import { createPageFiller, unlistedProviders, usesKeys } from './fill.ts';
import { createIdentify } from './identify.ts';
import { createParkedSessions } from './parked-sessions.ts';
import { createReturnAddress, faultOf } from './return-address.ts';
import { apiRoutes } from './routes/api.ts';
import { pageRoutes } from './routes/pages.ts';
import { createSessionStore } from './sessions.ts';
import { createSignedInAccounts } from './signed-in-accounts.ts';
import { createSessionLookups, createVisitors, factsOf } from './visitor.ts';
import { createWaitingWindows } from './waiting-windows.ts';

export const migrations: MigrationSet = { module: 'account', dir: new URL('./sql/', import.meta.url) };

/** The members of the auth service that the pages use. */
export interface AccountAuth extends Omit<ReturnDeps, 'implicit' | 'requireMfa'>, ConsentDeps, GuestDeps {
  /** The custom providers that the project offers. */
  readonly customProviders: () => Promise<readonly { readonly id: string; readonly name: string }[]>;
  /** The auth service's use cases for users. */
  readonly selfService: SelfService;
}

export interface AccountDeps {
  readonly auth: AccountAuth;
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  /**
   * Returns the public API URL, for example http://127.0.0.1:54321. The URL is unknown until the server listens on its
   * port.
   */
  readonly apiUrl: () => string;
  /** The folder that contains the built web app (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
  readonly isDevelopment: boolean;
}

const maxAppNameLength = 60;
const sweepEveryMs = 3_600_000;
const noMoreFacts = { unlisted: [], custom: [], wallets: [] };

const guestRules = ({ config, auth }: AccountDeps) => ({
  handOver: auth.transferGuest,
  get hasHook() {
    return config.current.plinth.auth.hook.guest_hand_over.enabled;
  },
});

export function createAccount(deps: AccountDeps): Service {
  const { database, keys, config, clock, log } = deps;
  const { selfService, issueCode } = deps.auth;
  const face = createWebFace(`${deps.webDir}/account`);
  const accountUrl = () => `${deps.apiUrl()}/account`;
  const isAllowedRedirect = appAddresses(deps, accountUrl);
  const auth = createAuthClient({
    selfService,
    accountUrl,
    languages: () => config.current.plinth.account.languages,
  });
  const sessions = createSessionStore({ db: database.pool('supabase_admin'), auth, clock });
  const filler = config.derive((current) =>
    createPageFiller({
      face,
      config: current,
      settings: selfService.settings,
      keyOrigins: selfService.keyOrigins,
      customProviders: deps.auth.customProviders,
      publishableKey: () => keys.publishableKey,
    }),
  );
  const windows = createWaitingWindows({ db: database.pool('supabase_admin'), clock });
  const parked = createParkedSessions(sessions);
  const browserSignIn = createBrowserSignIn(sessions, auth, parked);
  const accounts = createSignedInAccounts({ sessions, parked, browserSignIn });
  const visitors = createVisitors(sessions);
  const returning = {
    isAllowedRedirect,
    issueCode,
    get implicit() {
      return config.current.plinth.account.implicit_return;
    },
    get requireMfa() {
      return config.current.plinth.account.require_mfa;
    },
  };
  const returnAddress = createReturnAddress({ returning, auth, visitors });
  const confirm = { auth, accountUrl, enter: browserSignIn.enter, returnAddress, visitors, windows };
  const providerName = nameOfProvider.bind(undefined, deps);
  const journeys = { auth, browserSignIn, visitors, returnAddress, accountUrl, providerName };
  const hasOrganizations = () => config.current.plinth.account.organizations;
  const offers = () => offersOf(selfService.settings(), noMoreFacts);
  const identify = createIdentify({ auth, offers, hasOrganizations });
  const forms = { auth, sessions, browserSignIn, visitors, returnAddress, windows, identify };
  const lookups = createSessionLookups({ sessions, visitors, log });
  const clientName = nameOfClient.bind(undefined, deps);
  let sweep: NodeJS.Timeout | undefined;

  async function removeExpired(): Promise<void> {
    try {
      await sessions.removeExpired();
      await windows.removeExpired();
    } catch (error) {
      log.warn({ service: 'account', error }, 'failed to delete expired sessions');
    }
  }

  return {
    name: 'account',
    mounts: [
      {
        prefix: '/account',
        cors: 'none',
        apiKeys: false,
        documents: 'plinth',
        overloaded,
        isOnDemand: true,
        plugin: async (app) => {
          app.addHook('onRequest', async (request) => prepareDevice(request));
          const onError = (request: { id: string }, error: unknown): void =>
            log.error({ service: 'account', requestId: request.id, error }, 'request failed');
          await app.register(
            (scope) =>
              apiRoutes(scope, {
                sessions,
                auth,
                visitors,
                returnAddress,
                consent: deps.auth,
                requiresFactor: () => returning.requireMfa,
                isAppAddress: isAllowedRedirect,
                guests: guestRules(deps),
                browserSignIn,
                accounts,
                identify,
                windows,
                accountUrl,
                onError,
              }),
            {
              prefix: '/api',
            },
          );
          await app.register((scope) =>
            pageRoutes(scope, {
              face,
              confirm,
              forms,
              journeys,
              accounts: { accounts, parked, returnAddress, identify },
              organizations: { isEnabled: hasOrganizations, auth, visitors },
              onError,
              ...lookups,
              clientName,
              frontchannelUrls: deps.auth.frontchannelUrls,
              factsOf: async (cookie) => factsOf(await sessions.find(cookie).catch(() => undefined)),
              filler,
              faultOf: (requested) => faultOf(returning, requested),
              isDevelopment: deps.isDevelopment,
            }),
          );
        },
      },
      {
        // Password managers open this URL when the user wants to change a password. See
        // https://w3c.github.io/webappsec-change-password-url.
        prefix: '/.well-known/change-password',
        cors: 'none',
        apiKeys: false,
        isOnDemand: true,
        plugin: async (app) => {
          app.get('', (_request, reply) =>
            reply.redirect('/account/security?section=password#password', 302),
          );
        },
      },
    ],
    async start() {
      sweep = setInterval(() => void removeExpired(), sweepEveryMs);
      sweep.unref();
      void removeExpired();
    },
    // The URL of the pages is known only now.
    async prepared() {
      warnOfKeyOrigins(deps, accountUrl());
    },
    async stop() {
      clearInterval(sweep);
    },
  };
}

/**
 * Rejects destinations that are Account pages. Otherwise, a link could start a sign-in with an identity provider that
 * the visitor didn't choose.
 */
const appAddresses = (deps: AccountDeps, accountUrl: () => string) => (address: string) =>
  deps.auth.isAllowedRedirect(address) && !isAccountPage(address, accountUrl());

/** Returns the name of an identity provider that the project offers. */
async function nameOfProvider(deps: AccountDeps, id: string): Promise<string | undefined> {
  const facts = {
    unlisted: unlistedProviders(deps.config.current),
    custom: await deps.auth.customProviders(),
  };
  return providersOf(deps.auth.selfService.settings(), facts).find((provider) => provider.id === id)?.name;
}

/**
 * Returns the name of the OAuth client that sent an authorization request. The result includes the host of the app's
 * URL, because anyone can register an app under any name. If the database is unavailable, the result contains no name.
 */
async function nameOfClient(deps: AccountDeps, authorizationId: string): Promise<string | undefined> {
  const client = await deps.auth.requestingClient(authorizationId).catch(() => undefined);
  if (client === undefined) return undefined;
  const letters = Array.from(client.name.replace(/\p{C}/gu, '').trim());
  const name =
    letters.length <= maxAppNameLength
      ? letters.join('')
      : `${letters.slice(0, maxAppNameLength - 1).join('')}…`;
  const host = hostOf(client.redirectUri) ?? '';
  return name === '' ? host : `${name} (${host})`;
}

/** Warns if the project offers passkeys or security keys that don't work on the pages. */
function warnOfKeyOrigins({ config, auth, log }: AccountDeps, accountUrl: string): void {
  if (!usesKeys(config.current) || allowsKeysAt(accountUrl, auth.selfService.keyOrigins())) return;
  const { origin } = new URL(accountUrl);
  log.warn(
    { service: 'account', origin },
    `Passkeys and security keys don't work on the Account pages, because [auth.webauthn] rp_origins doesn't contain ${origin}`,
  );
}
