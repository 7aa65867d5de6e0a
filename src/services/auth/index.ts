/**
 * The auth service under `/auth/v1`, compatible with GoTrue 2.196. Manages users and sessions, including sign-up,
 * sign-in, codes, factors and administration.
 */
import type { FastifyPluginAsync } from 'fastify';
import type { Clock } from '../../base/kernel/clock.ts';
import type { Logger } from '../../base/kernel/log.ts';
import { LabeledCounts } from '../../base/kernel/metrics/values.ts';
import type { Observe, QueueLoad, Service } from '../../base/kernel/service.ts';
import { sql } from '../../base/kernel/sql.ts';
import { cached, tableCheckMs } from '../../base/shared/cached.ts';
import { createOutgoing, type Outgoing } from '../../base/shared/network/outgoing.ts';
import type { LiveConfig } from '../../platform/config/index.ts';
import type { Database, MigrationSet } from '../../platform/database/types.ts';
import type { Keys } from '../../platform/keys/types.ts';
import type { Mailer } from '../mail/types.ts';
import { accountRoutes } from './account/routes.ts';
import { adminRoutes } from './admin/routes.ts';
import { createUserAdministration, type UserAdministration } from './admin/user-administration.ts';
import { codeRoutes } from './codes/routes.ts';
import { createBackgroundWork } from './common/background-work.ts';
import { endingWithRequests } from './common/deadline.ts';
import { overloadedBody } from './common/public-errors.ts';
import { isRedirectAllowed } from './common/redirects.ts';
import { Lanes } from './common/work-queue.ts';
import type { AuthContext } from './context.ts';
import { recoveryCodeRoutes } from './factors/recovery-code-routes.ts';
import { sweepFactorRemovals } from './factors/removal-rounds.ts';
import { factorRoutes } from './factors/routes.ts';
import { localTotpSteps, sharedTotpSteps } from './factors/totp-steps.ts';
import { type HookTest, testHook } from './hooks/test.ts';
import { createHousekeeping } from './housekeeping.ts';
import { publicRoutes, responsesForAll } from './http/public-routes.ts';
import { respondToUnknownRoutes, sendError } from './http/render-error.ts';
import { createRoute } from './http/route.ts';
import { localAttempts, sharedAttempts } from './limits/attempt-store.ts';
import { type AttemptLimits, createAttemptLimits } from './limits/attempts.ts';
import { createRateLimits, localBuckets, sharedBuckets } from './limits/rate-limits.ts';
import { createMessagePreviews, type MessagePreviews } from './messages/previews.ts';
import { oauthClientRoutes } from './oauth-server/client-routes.ts';
import { isTrustedClient, releaseAuthorization } from './oauth-server/consent.ts';
import { discoveryRoutes, rootDiscovery } from './oauth-server/discovery-routes.ts';
import { type EndedSession, frontchannelUrls, isPostLogoutRedirect } from './oauth-server/logout.ts';
import { endExpiredSessions } from './oauth-server/notify-clients.ts';
import { findRequestingClient, type RequestingClient } from './oauth-server/queries.ts';
import { oauthServerRoutes } from './oauth-server/routes.ts';
import { createTxtLookup, type TxtLookup } from './organizations/domains/txt.ts';
import { organizationRoutes } from './organizations/routes.ts';
import { passkeyRoutes } from './passkeys/routes.ts';
import { createPasswords } from './passwords/hashing.ts';
import { leakedPasswordsOf } from './passwords/leaked.ts';
import { customProviderRoutes } from './providers/custom-routes.ts';
import { callbackUrl } from './providers/oauth-client.ts';
import { createOidc } from './providers/oidc.ts';
import { listCustomProviders } from './providers/queries.ts';
import { providerRoutes } from './providers/routes.ts';
import { type ProviderTest, testProvider } from './providers/test.ts';
import { securityEventRoutes } from './security-events/routes.ts';
import { createSelfService } from './self-service/index.ts';
import type { SelfService } from './self-service/types.ts';
import { createOwnUserReads } from './sessions/own-user-reads.ts';
import { createTokenRotation } from './sessions/rotation.ts';
import { sessionRoutes } from './sessions/routes.ts';
import { type Mode, maxBodyBytes, settingsFrom } from './settings.ts';
import { type CodeRequest, issueCode } from './sign-in/app-codes.ts';
import { createSignInCounts } from './sign-in/counts.ts';
import { tokenRoutes } from './sign-in/routes.ts';
import { type GuestTransfer, type GuestTransferOutcome, transferGuest } from './sign-up/guest-transfer.ts';
import { signUpRoutes } from './sign-up/routes.ts';
import { adminSsoRoutes } from './sso/admin-routes.ts';
import { ssoRoutes } from './sso/routes.ts';
import { localAssertions, sharedAssertions } from './sso/spent-assertions.ts';
import type { ExchangeUserKey } from './user-keys/exchange.ts';
import { userKeyRoutes } from './user-keys/routes.ts';
import type { WebhookAdministration } from './webhooks/administration.ts';
import { createWebhooks } from './webhooks/index.ts';

export type { OperationError, UserAdministration } from './admin/user-administration.ts';
export { authError, errorTable } from './errors.ts';
export type { HookTest } from './hooks/test.ts';
export type { AttemptLimits } from './limits/attempts.ts';
export type { MailPreview, MessagePreviews } from './messages/previews.ts';
export type { SetupAction, SetupOutcome, SetupState } from './organizations/connections/setup.ts';
export type { InvitationKey, ShownInvitation } from './organizations/own-organizations.ts';
export type { ProviderTest } from './providers/test.ts';
export type {
  AuthUser,
  PageClient,
  PublicSettings,
  SelfService,
  TokenPair,
  UserOperations,
  VisitorOperations,
} from './self-service/types.ts';
export type { SessionEnding } from './sessions/own-sessions.ts';
export type { SamlInspection } from './sso/metadata.ts';
export type {
  DeliveryRow,
  OpenedDelivery,
  WebhookAdministration,
  WebhookRefusal,
  WebhookState,
} from './webhooks/administration.ts';

export const migrations: MigrationSet = { module: 'auth', dir: new URL('./sql/', import.meta.url) };

export interface AuthDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  readonly mailer: Mailer;
  /** The project's root folder. Template paths are relative to this folder. */
  readonly projectDir: string;
  /**
   * Returns the public URL of the API, for example http://127.0.0.1:54321. This property is a function because port 0
   * is replaced with the actual port only at startup.
   */
  readonly apiUrl: () => string;
  readonly mode: Mode;
  /** Whether the server serves the Account pages at `/account`. Defaults to true. */
  readonly hasAccountPages?: boolean;
  readonly clock: Clock;
  /** Records calls that the Account pages make within this process. */
  readonly observe: Observe;
  /** Sends requests to other servers. By default, sends them over the network. */
  readonly outgoing?: Outgoing;
  /** Reads TXT records. By default, asks the system's DNS servers. */
  readonly resolveTxt?: TxtLookup;
  /** The bcrypt cost of new password hashes. Tests use a lower cost. See `passwords/hashing.ts`. */
  readonly passwordCost?: number;
  readonly log: Logger;
}

/**
 * Lets operators test a provider or hook with the settings in effect. The functions return undefined if no provider or
 * hook has this name.
 */
export interface AuthChecks {
  provider(name: string): Promise<ProviderTest | undefined>;
  hook(name: string): Promise<HookTest | undefined>;
}

export interface AuthService extends Service {
  /** Returns whether the redirect rule allows an absolute URL. */
  readonly isAllowedRedirect: (address: string) => boolean;
  /** Returns a code with which an app signs the user in. See `sign-in/app-codes.ts`. */
  readonly issueCode: (request: CodeRequest) => Promise<string>;
  /** Transfers a guest's data to an account. See `sign-up/guest-transfer.ts`. */
  readonly transferGuest: (request: GuestTransfer) => Promise<GuestTransferOutcome>;
  /** Implemented in `oauth-server/consent.ts`. */
  readonly isTrustedClient: (clientId: string) => Promise<boolean>;
  /** Implemented in `oauth-server/logout.ts`. */
  readonly isPostLogoutRedirect: (clientId: string, redirectUri: string) => Promise<boolean>;
  /** Returns the OAuth clients' logout pages that a browser loads after these sessions have ended. */
  readonly frontchannelUrls: (ended: readonly EndedSession[]) => Promise<readonly string[]>;
  readonly requestingClient: (authorizationId: string) => Promise<RequestingClient | undefined>;
  readonly releaseAuthorization: (authorizationId: string, userId: string) => Promise<void>;
  /**
   * The enabled custom providers, sorted by name. `id` is the value of the parameter `provider` in requests to
   * /authorize.
   */
  readonly customProviders: () => Promise<{ id: string; name: string }[]>;
  readonly exchangeUserKey: ExchangeUserKey;
  readonly messagePreviews: MessagePreviews;
  readonly checks: AuthChecks;
  /** Returns the default URL to which providers redirect users. */
  readonly callbackUrl: () => string;
  readonly users: UserAdministration;
  readonly selfService: SelfService;
  /**
   * The limits on failed attempts, which the Console also uses. Attempts are counted regardless of `auth.guess_limits`.
   */
  readonly guesses: AttemptLimits;
  /** Loads the operations on the webhooks for events about users. */
  readonly webhooks: () => Promise<WebhookAdministration>;
  /** Returns the load of the password hash queue. */
  readonly passwordQueue: () => QueueLoad;
}

export function createAuth(deps: AuthDeps): AuthService {
  const current = deps.config.derive((config) =>
    settingsFrom(config, deps.mode, deps.apiUrl, deps.hasAccountPages),
  );
  const outgoing = deps.outgoing ?? createOutgoing({ mode: deps.mode });
  const leakedPasswords = deps.config.derive(({ plinth }) =>
    leakedPasswordsOf(plinth.auth.password.hibp, deps.projectDir, outgoing),
  );
  const authPool = deps.database.pool('supabase_auth_admin');
  const ownTables = deps.database.pool('supabase_admin');
  const hasOwnTables = deps.database.info.ownsSchemas;
  const attemptStore = hasOwnTables ? sharedAttempts(ownTables) : localAttempts();
  const limited = new LabeledCounts([['address'], ['account'], ['email'], ['sms'], ['guess']]);
  const signIns = createSignInCounts();
  const onGuessBlocked = (): void => limited.add(['guess']);
  const ctx: AuthContext = {
    // Reads the settings for every request, because the settings can change while the server runs.
    get settings() {
      return current();
    },
    get leakedPasswords() {
      return leakedPasswords();
    },
    pool: endingWithRequests(authPool),
    apiPool: deps.database.pool('authenticator'),
    keys: deps.keys,
    mailer: deps.mailer,
    passwords: createPasswords(deps.passwordCost, () => current().requestTimeoutMs),
    limits: createRateLimits(hasOwnTables ? sharedBuckets(ownTables) : localBuckets(), current, (limit) =>
      limited.add([limit]),
    ),
    guesses: createAttemptLimits(attemptStore, deps.clock, {
      isLimited: () => current().limitsGuesses,
      onBlocked: onGuessBlocked,
      lockout: () => current().security.lockout,
    }),
    userTurns: new Lanes(),
    signIns,
    backgroundWork: createBackgroundWork(deps.log),
    assertions: hasOwnTables ? sharedAssertions(ownTables) : localAssertions(),
    totpSteps: hasOwnTables ? sharedTotpSteps(ownTables) : localTotpSteps(),
    rotateToken: createTokenRotation(authPool, current, deps.clock),
    readOwnUser: createOwnUserReads(authPool),
    hasOwnTables,
    ownTables,
    clock: deps.clock,
    outgoing,
    oidc: createOidc(outgoing, deps.clock),
    resolveTxt: deps.resolveTxt ?? createTxtLookup(),
    log: deps.log,
  };
  const webhooks = createWebhooks({
    ...{ database: deps.database, db: ownTables, config: deps.config, mode: deps.mode },
    ...{ outgoing, clock: deps.clock, log: deps.log },
  });
  const housekeeping = createHousekeeping(ctx, async (isStopping) => {
    try {
      if (hasOwnTables) await sweepFactorRemovals(ctx);
      await webhooks.removeUnused();
      if (hasOwnTables && ctx.settings.organizations.enabled) {
        const { recheckDomains } = await import('./organizations/domains/recheck.ts');
        await recheckDomains(ctx, isStopping);
      }
    } finally {
      // Ends expired sessions last, because the clients that are notified may respond slowly.
      await endExpiredSessions(ctx, isStopping);
    }
  });
  const checkTables = cached(tableCheckMs, () => ctx.pool.query(sql`select exists (select from auth.users)`));
  return {
    name: 'auth',
    metrics: () => ({
      plinth_auth_sign_ins_total: signIns.samples(),
      plinth_auth_rate_limited_total: limited.samples(),
    }),
    async start() {
      housekeeping.start();
      await webhooks.start();
    },
    async check() {
      await checkTables();
      return undefined;
    },
    stop: async () => {
      await ctx.backgroundWork.settled();
      await Promise.all([housekeeping.stop(), webhooks.stop()]);
    },
    mounts: [
      {
        prefix: '/auth/v1',
        overloaded: [overloadedBody],
        plugin: authPlugin(ctx),
        sameForAll: responsesForAll(ctx),
        cors: 'open',
        exposeHeaders: ['X-Total-Count', 'Link', 'X-Supabase-Api-Version'],
        apiKeys: true,
        refusesUserKeys: true,
      },
      { ...rootDiscovery(ctx), cors: 'open', apiKeys: false },
      {
        prefix: '/scim/v2',
        plugin: async (app) => (await import('./organizations/scim-routes.ts')).scimRoutes(app, ctx),
        isOnDemand: true,
        cors: 'none',
        apiKeys: false,
      },
    ],
    isAllowedRedirect: (address) => isRedirectAllowed(current().redirects, address),
    issueCode: (request) => issueCode(ctx, request),
    transferGuest: (request) => transferGuest(ctx, request),
    isTrustedClient: (clientId) => isTrustedClient(ctx, clientId),
    isPostLogoutRedirect: (clientId, redirectUri) => isPostLogoutRedirect(ctx, clientId, redirectUri),
    frontchannelUrls: (ended) => frontchannelUrls(ctx, ended),
    requestingClient: (id) => findRequestingClient(ctx.pool, id, ctx.clock.now()),
    releaseAuthorization: (id, userId) => releaseAuthorization(ctx, id, userId),
    exchangeUserKey: createExchange(ctx),
    messagePreviews: createMessagePreviews(ctx),
    checks: { provider: (name) => testProvider(ctx, name), hook: (name) => testHook(ctx, name) },
    callbackUrl: () => callbackUrl(current().issuer()),
    users: createUserAdministration(ctx),
    selfService: createSelfService(ctx, deps.observe),
    guesses: createAttemptLimits(attemptStore, deps.clock, { onBlocked: onGuessBlocked }),
    webhooks: webhooks.administration,
    passwordQueue: () => ctx.passwords.load(),
    customProviders: async () =>
      (await listCustomProviders(ctx.pool))
        .filter(({ enabled }) => enabled)
        .map(({ identifier, name }) => ({ id: identifier, name }))
        .sort((one, other) => one.name.localeCompare(other.name)),
  };
}

/** Loads the code of users' API keys for the first request with such a key. */
function createExchange(ctx: AuthContext): ExchangeUserKey {
  let exchange: ExchangeUserKey | undefined;
  return async (key, validSeconds) => {
    const { createUserKeyExchange } = await import('./user-keys/exchange.ts');
    exchange ??= createUserKeyExchange(ctx);
    return exchange(key, validSeconds);
  };
}

function authPlugin(ctx: AuthContext): FastifyPluginAsync {
  return async (app) => {
    // Each route parses its body as JSON regardless of the content type. The request body can be empty.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_request, body, done) => {
      done(null, body);
    });
    app.setErrorHandler((error, request, reply) => sendError(ctx.log, error, request, reply));
    respondToUnknownRoutes(app);

    const route = createRoute(app, ctx);
    publicRoutes(route);
    signUpRoutes(route);
    tokenRoutes(route);
    codeRoutes(route);
    accountRoutes(route);
    sessionRoutes(route);
    securityEventRoutes(route);
    factorRoutes(route);
    recoveryCodeRoutes(route);
    passkeyRoutes(route);
    providerRoutes(route);
    customProviderRoutes(route);
    ssoRoutes(route);
    adminSsoRoutes(route);
    adminRoutes(route);
    organizationRoutes(route);
    userKeyRoutes(route);
    discoveryRoutes(route);
    oauthServerRoutes(route);
    oauthClientRoutes(route);
  };
}
