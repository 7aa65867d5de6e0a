/**
 * The Account pages' server side: serves the built pages below `/account`, holds the browsers' sessions behind an
 * httpOnly cookie, and sends people back to the calling app with a session of its own.
 *
 * Glossary. *Page*: HTML prerendered at build, filled in at the start, given a nonce in each answer. *Session*: a row
 * of `_plinth.account_sessions`, found by the cookie. *Return*: the way back to the app, by PKCE code or fragment.
 */
import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import { createWebFace } from '../kernel/web-face.ts';
import type { Keys } from '../keys/types.ts';
import { createAuthClient } from './auth-client.ts';
import { createDoor } from './door.ts';
import { createPageFiller } from './fill.ts';
import { apiRoutes } from './routes/api.ts';
import { pageRoutes } from './routes/pages.ts';
import { createSessionStore } from './sessions.ts';
import { createVisitors } from './visitor.ts';
import { createWayBack } from './way-back.ts';

export const migrations: MigrationSet = { room: 'account', dir: new URL('./sql/', import.meta.url) };

/** What only auth can say or do; `main.ts` hands it over. */
export interface ReturnDeps {
  /** Auth's redirect rule (site_url, additional_redirect_urls, loopback addresses), for an absolute address. */
  readonly isAllowedRedirect: (address: string) => boolean;
  /**
   * A one-time code for the user and session of a verified, unexpired access token of ours. Whoever posts it with the
   * challenge's verifier to `/auth/v1/token?grant_type=pkce` gets a new session of that user, with the level (aal),
   * the methods (amr) and the factor of the session that the token belongs to. It holds as long as other PKCE codes do.
   */
  readonly issueCode: (request: {
    readonly accessToken: string;
    readonly codeChallenge: string;
    readonly codeChallengeMethod: 's256' | 'plain';
  }) => Promise<string>;
  /** True: an app that sends no challenge gets its session in the fragment. */
  readonly implicit: boolean;
  /** True: nobody returns without a second factor. */
  readonly requireMfa: boolean;
}

/** What only auth knows of the apps that ask for consent; `main.ts` hands it over. */
export interface ConsentDeps {
  /** True: an administrator registered the app. Anybody can register one by themselves, under any name. */
  readonly isVettedClient: (clientId: string) => Promise<boolean>;
  /** Gives a request that this user has opened, and not answered, free for another one. */
  readonly releaseAuthorization: (authorizationId: string, userId: string) => Promise<void>;
}

/** What only auth can do with a guest; `main.ts` hands it over. */
export interface GuestDeps {
  /**
   * Gives an account what was a guest's, by the project's hook, and deletes the guest. Takes access tokens of ours, of a
   * session of each. Throws what the hook fails by; the guest then stays as it is.
   */
  readonly handOverGuest: (request: {
    readonly guestToken: string;
    readonly accountToken: string;
    readonly ip: string;
  }) => Promise<'done' | 'guest_gone' | 'not_signed_in' | 'insufficient_aal' | 'stale'>;
}

export interface AccountDeps extends Omit<ReturnDeps, 'implicit' | 'requireMfa'>, ConsentDeps, GuestDeps {
  /** The providers that the project has added by itself and offers. */
  readonly customProviders: () => Promise<readonly { readonly id: string; readonly name: string }[]>;
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  /** A request to one of our own services in this process, for example /auth/v1/token. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** The public API address, for example http://127.0.0.1:54321; known once the port is. */
  readonly apiUrl: () => string;
  /** Where the built web app lies (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

const sweepEveryMs = 3_600_000;

export function createAccount(deps: AccountDeps): Service {
  const { database, keys, config, clock, log, internalFetch, isAllowedRedirect, issueCode } = deps;
  const face = createWebFace(`${deps.webDir}/account`);
  const accountUrl = () => `${deps.apiUrl()}/account`;
  const auth = createAuthClient({ internalFetch, publishableKey: keys.publishableKey, accountUrl });
  const sessions = createSessionStore({ db: database.pool('supabase_admin'), auth, clock });
  const filler = createPageFiller({
    face,
    config,
    internalFetch,
    customProviders: deps.customProviders,
    publishableKey: keys.publishableKey,
  });
  const door = createDoor(sessions, auth);
  const confirm = { auth, accountUrl, enter: door.enter };
  const visitors = createVisitors(sessions);
  const { implicit_return: implicit, require_mfa: requireMfa } = config.plinth.account;
  const returning = { isAllowedRedirect, issueCode, implicit, requireMfa };
  const guests = {
    handOver: deps.handOverGuest,
    hasHook: config.plinth.auth.hook.guest_hand_over.enabled,
  };
  const wayBack = createWayBack({ returning, auth, visitors });
  const journeys = { auth, door, visitors, wayBack, accountUrl };
  const forms = { auth, sessions, door, visitors, wayBack };
  // Where the database is away the page has its form all the same, and whoever sends it reads why.
  const keepsSession = (cookie: string | undefined): Promise<boolean> =>
    sessions.find(cookie).then(
      (session) => session !== undefined,
      (error: unknown) => {
        log.warn({ service: 'account', error }, 'a session could not be looked for');
        return false;
      },
    );
  let sweep: NodeJS.Timeout | undefined;

  async function removeExpired(): Promise<void> {
    try {
      await sessions.removeExpired();
    } catch (error) {
      log.warn({ service: 'account', error }, 'expired sessions could not be removed');
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
        plugin: async (app) => {
          const onError = (request: { id: string }, error: unknown): void =>
            log.error({ service: 'account', requestId: request.id, error }, 'request failed');
          await app.register(
            (scope) =>
              apiRoutes(scope, {
                sessions,
                auth,
                visitors,
                wayBack,
                consent: deps,
                isAppAddress: isAllowedRedirect,
                guests,
                door,
                accountUrl,
                onError,
              }),
            {
              prefix: '/api',
            },
          );
          await app.register((scope) =>
            pageRoutes(scope, { face, confirm, forms, journeys, onError, keepsSession, ...filler }),
          );
        },
      },
    ],
    async start() {
      sweep = setInterval(() => void removeExpired(), sweepEveryMs);
      sweep.unref();
      void removeExpired();
    },
    async stop() {
      clearInterval(sweep);
    },
  };
}
