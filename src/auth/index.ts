/**
 * Users and sessions: sign-up, sign-in, codes, factors and their administration under `/auth/v1`, compatible with
 * GoTrue 2.196.
 */
import type { FastifyPluginAsync } from 'fastify';
import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import type { Keys } from '../keys/types.ts';
import type { Mailer } from '../mail/types.ts';
import { createOutgoing, type Outgoing } from '../shared/outgoing.ts';
import { type AttemptLimits, createAttemptLimits, localAttempts, sharedAttempts } from './attempt-limits.ts';
import { createBackgroundWork } from './background-work.ts';
import { localBuckets, sharedBuckets } from './buckets.ts';
import type { AuthContext } from './context.ts';
import { isRedirectAllowed } from './core/redirects.ts';
import { endingWithRequests } from './deadline.ts';
import { type CodeRequest, issueCode } from './flows/app-codes.ts';
import { type GuestTransfer, type GuestTransferOutcome, transferGuest } from './flows/guest-transfer.ts';
import { createMessagePreviews, type MessagePreviews } from './flows/message-previews.ts';
import { isVettedClient, releaseAuthorization } from './flows/oauth-consent.ts';
import { createHousekeeping } from './housekeeping.ts';
import { sendError } from './http/render-error.ts';
import { answerUnknown } from './http/unknown.ts';
import { createLeakedPasswords } from './leaked-passwords.ts';
import { createOidc } from './oidc.ts';
import { createPasswords } from './passwords.ts';
import { listCustomProviders } from './queries/custom-providers.ts';
import { createRateLimits } from './rate-limits.ts';
import { adminLinkRoutes } from './routes/admin-links.ts';
import { adminSsoRoutes } from './routes/admin-sso.ts';
import { adminUserRoutes } from './routes/admin-users.ts';
import { callbackRoutes } from './routes/callback.ts';
import { codeRoutes } from './routes/codes.ts';
import { customProviderRoutes } from './routes/custom-providers.ts';
import { discoveryRoutes, rootDiscovery } from './routes/discovery.ts';
import { externalRoutes } from './routes/external.ts';
import { factorRoutes } from './routes/factors.ts';
import { identityRoutes } from './routes/identities.ts';
import { oauthClientRoutes } from './routes/oauth-clients.ts';
import { oauthGrantRoutes } from './routes/oauth-grants.ts';
import { oauthServerRoutes } from './routes/oauth-server.ts';
import { ownAccountRoutes } from './routes/own-account.ts';
import { passkeyRoutes } from './routes/passkeys.ts';
import { pendingChangeRoutes } from './routes/pending-changes.ts';
import { publicRoutes } from './routes/public.ts';
import { recoveryCodeRoutes } from './routes/recovery-codes.ts';
import { definer } from './routes/route.ts';
import { scimRoutes } from './routes/scim.ts';
import { sessionRoutes } from './routes/sessions.ts';
import { signupRoutes } from './routes/signup.ts';
import { ssoRoutes } from './routes/sso.ts';
import { tokenRoutes } from './routes/token.ts';
import { userRoutes } from './routes/user.ts';
import { verifyRoutes } from './routes/verify.ts';
import { type Mode, settingsFrom } from './settings.ts';
import { localAssertions, sharedAssertions } from './spent-assertions.ts';
import { createTokenRotation } from './token-rotation.ts';
import { localTotpSteps, sharedTotpSteps } from './totp-steps.ts';
import { createUserAdministration, type UserAdministration } from './user-administration.ts';

export type { AttemptLimits } from './attempt-limits.ts';
export { authError, errorTable } from './errors.ts';
export type { MailPreview, MessagePreviews } from './flows/message-previews.ts';
export type { OperationError, UserAdministration } from './user-administration.ts';

export const migrations: MigrationSet = { room: 'auth', dir: new URL('./sql/', import.meta.url) };

export interface AuthDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly mailer: Mailer;
  /** The project root. Template paths are relative to it. */
  readonly projectDir: string;
  /**
   * Returns the public API address, for example http://127.0.0.1:54321. This is a function because port 0 is resolved
   * late.
   */
  readonly apiUrl: () => string;
  readonly mode: Mode;
  /** Whether pages are served at `/account`. True by default. */
  readonly hasAccountPages?: boolean;
  readonly clock: Clock;
  /** Sends requests to other servers. Uses the network by default. */
  readonly outgoing?: Outgoing;
  readonly log: Logger;
}

const maxBodyBytes = 1_048_576;

export interface AuthService extends Service {
  /** Whether the redirect rule allows an absolute address. */
  readonly isAllowedRedirect: (address: string) => boolean;
  /** See `flows/app-codes.ts`. */
  readonly issueCode: (request: CodeRequest) => Promise<string>;
  /** See `flows/guest-transfer.ts`. */
  readonly transferGuest: (request: GuestTransfer) => Promise<GuestTransferOutcome>;
  /** See `flows/oauth-consent.ts`. */
  readonly isVettedClient: (clientId: string) => Promise<boolean>;
  readonly releaseAuthorization: (authorizationId: string, userId: string) => Promise<void>;
  /** The enabled custom providers, sorted by name. `id` is the value of `provider` at /authorize. */
  readonly customProviders: () => Promise<{ id: string; name: string }[]>;
  readonly messagePreviews: MessagePreviews;
  readonly users: UserAdministration;
  /** For the Console. Attempts are counted regardless of `auth.guess_limits`. */
  readonly guesses: AttemptLimits;
}

export function createAuth(deps: AuthDeps): AuthService {
  const settings = settingsFrom(deps.config, deps.mode, deps.apiUrl, deps.hasAccountPages);
  const outgoing = deps.outgoing ?? createOutgoing({ mode: deps.mode });
  const { leakedPasswords } = settings;
  const authPool = deps.database.pool('supabase_auth_admin');
  const ownTables = deps.database.pool('supabase_admin');
  const hasOwnTables = deps.database.info.ownsSchemas;
  const attemptStore = hasOwnTables ? sharedAttempts(ownTables) : localAttempts();
  const ctx: AuthContext = {
    settings,
    pool: endingWithRequests(authPool),
    keys: deps.keys,
    mailer: deps.mailer,
    passwords: createPasswords(),
    leakedPasswords: leakedPasswords.enabled ? createLeakedPasswords(leakedPasswords, outgoing) : undefined,
    limits: createRateLimits(hasOwnTables ? sharedBuckets(ownTables) : localBuckets(), settings),
    guesses: createAttemptLimits(attemptStore, deps.clock, settings.limitsGuesses),
    backgroundWork: createBackgroundWork(deps.log),
    assertions: hasOwnTables ? sharedAssertions(ownTables) : localAssertions(),
    totpSteps: hasOwnTables ? sharedTotpSteps(ownTables) : localTotpSteps(),
    rotateToken: createTokenRotation(authPool, settings, deps.clock),
    hasOwnTables,
    ownTables,
    clock: deps.clock,
    outgoing,
    oidc: createOidc(outgoing, deps.clock),
    log: deps.log,
  };
  const housekeeping = createHousekeeping(ctx);
  return {
    name: 'auth',
    start: async () => housekeeping.start(),
    stop: async () => {
      await ctx.backgroundWork.settled();
      await housekeeping.stop();
    },
    mounts: [
      {
        prefix: '/auth/v1',
        plugin: authPlugin(ctx),
        cors: 'open',
        exposeHeaders: ['X-Total-Count', 'Link', 'X-Supabase-Api-Version'],
        apiKeys: true,
      },
      { ...rootDiscovery(ctx), cors: 'open', apiKeys: false },
    ],
    isAllowedRedirect: (address) => isRedirectAllowed(settings.redirects, address),
    issueCode: (request) => issueCode(ctx, request),
    transferGuest: (request) => transferGuest(ctx, request),
    isVettedClient: (clientId) => isVettedClient(ctx, clientId),
    releaseAuthorization: (id, userId) => releaseAuthorization(ctx, id, userId),
    messagePreviews: createMessagePreviews(ctx),
    users: createUserAdministration(ctx),
    guesses: createAttemptLimits(attemptStore, deps.clock, true),
    customProviders: async () =>
      (await listCustomProviders(ctx.pool))
        .filter(({ enabled }) => enabled)
        .map(({ identifier, name }) => ({ id: identifier, name }))
        .sort((one, other) => one.name.localeCompare(other.name)),
  };
}

function authPlugin(ctx: AuthContext): FastifyPluginAsync {
  return async (app) => {
    // Each route parses its body as JSON, regardless of the content type. An empty body is also allowed.
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'string', bodyLimit: maxBodyBytes }, (_request, body, done) => {
      done(null, body);
    });
    app.setErrorHandler((error, request, reply) => sendError(ctx.log, error, request, reply));
    answerUnknown(app);

    const define = definer(app, ctx);
    publicRoutes(define, ctx);
    signupRoutes(define, ctx);
    tokenRoutes(define, ctx);
    codeRoutes(define, ctx);
    verifyRoutes(define, ctx);
    userRoutes(define, ctx);
    sessionRoutes(define, ctx);
    pendingChangeRoutes(define, ctx);
    ownAccountRoutes(define, ctx);
    factorRoutes(define, ctx);
    recoveryCodeRoutes(define, ctx);
    passkeyRoutes(define, ctx);
    identityRoutes(define, ctx);
    adminUserRoutes(define, ctx);
    adminLinkRoutes(define, ctx);
    externalRoutes(define, ctx);
    callbackRoutes(define, ctx);
    customProviderRoutes(define, ctx);
    scimRoutes(define);
    ssoRoutes(define, ctx);
    adminSsoRoutes(define, ctx);
    discoveryRoutes(define, ctx);
    oauthServerRoutes(define, ctx);
    oauthClientRoutes(define, ctx);
    oauthGrantRoutes(define, ctx);
  };
}
