/**
 * The server side of the Console, which has a separate port. It serves the built pages under `/console`, signs
 * operators in, and serves the API for all pages. Credentials for services never leave the server.
 *
 * Glossary. *Operator*: a person who runs the project, as opposed to an end user of the app. *Link*: a one-time sign-in
 * URL. Its secret is in the fragment, which doesn't appear in server logs. *Permission*: read, secrets, write or own
 * (`core/roles.ts`).
 */
import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { AttemptLimits, MessagePreviews, UserAdministration } from '../auth/index.ts';
import type { LiveConfig } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { OwnAddress } from '../kernel/request-origin.ts';
import type { Service } from '../kernel/service.ts';
import { createWebFace, type WebFace } from '../kernel/web-face.ts';
import type { KeyStore } from '../keys/index.ts';
import type { Inbox, Mailer } from '../mail/types.ts';
import type { RealtimeService } from '../realtime/types.ts';
import type { Attempt } from '../rest/index.ts';
import { createSeal } from '../shared/seal.ts';
import type { Telemetry } from '../telemetry/types.ts';
import { createRecentAdvisors } from './advisors/recent.ts';
import { advisorRoutes } from './advisors/routes.ts';
import { type Audit, commandLine, createAudit } from './audit.ts';
import { type BackupDeps, backupRoutes } from './backups/routes.ts';
import { arrivalOf, arrivalPlaceholder } from './core/arrival.ts';
import { createAttempts } from './core/attempts.ts';
import type { OperatorRole } from './core/roles.ts';
import { type FunctionsView, functionRoutes } from './functions/routes.ts';
import { problemsOf } from './home/problems.ts';
import { type HomeDeps, homeRoutes } from './home/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { logRoutes } from './logs/routes.ts';
import { createManagement, type Management, type ManagementDeps } from './management/calls.ts';
import { managementPlugin } from './management/routes.ts';
import { createFactors } from './operators/factors.ts';
import { passkeyRoutes } from './operators/passkey-routes.ts';
import { createPasskeys } from './operators/passkeys.ts';
import { operatorRoutes } from './operators/routes.ts';
import { personaRoutes } from './persona/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import * as queries from './queries.ts';
import { queryRoutes } from './queries-page/routes.ts';
import { realtimeRoutes } from './realtime/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { type Api, createApi, parseAs } from './routes/api.ts';
import type { WriteMigration } from './schema/apply.ts';
import { schemaRoutes } from './schema/routes.ts';
import { createServiceClient } from './service-client.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { messageRoutes } from './settings/message-routes.ts';
import { type SettingsDeps, settingsRoutes } from './settings/routes.ts';
import { sqlRoutes } from './sql-page/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { tableRoutes } from './tables/routes.ts';
import { createTokens, type Tokens } from './tokens/tokens.ts';
import { userRoutes } from './users/routes.ts';
import { whyRoutes } from './why/routes.ts';

export type { OperatorRole } from './core/roles.ts';
export { roles } from './core/roles.ts';
export type { ManagementCallName } from './management/inputs.ts';
export type { CreatedToken, TokenRow } from './tokens/tokens.ts';

export const migrations: MigrationSet = { module: 'console', dir: new URL('./sql/', import.meta.url) };

export interface ConsoleDeps {
  readonly database: Database;
  readonly keys: KeyStore;
  readonly config: LiveConfig;
  readonly inbox: Inbox;
  readonly mailer: Mailer;
  readonly messagePreviews: MessagePreviews;
  readonly users: UserAdministration;
  readonly guesses: AttemptLimits;
  /** The folder that contains `supabase/`. Settings are saved in `supabase/` itself. */
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly apiUrl: () => string;
  /** Returns the Console's URL for operators, such as `http://127.0.0.1:54323`. */
  readonly consoleUrl: () => string;
  /** The Console's host names. */
  readonly ownAddress: OwnAddress;
  /**
   * Returns the health of every service. The value is undefined if the service works, and otherwise a sentence that
   * describes the problem.
   */
  readonly health: () => Record<string, string | undefined>;
  /** Returns the project's statements that were skipped at startup because of --keep-going. */
  readonly skipped: HomeDeps['skipped'];
  /** Sends a request to the REST service, whose changes can be rolled back. */
  readonly attempt: Attempt;
  /** Sends a request to a service in this process, such as /auth/v1/admin/users. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Sends a request like `internalFetch` and streams the response body. Aborting `init.signal` ends the response. */
  readonly internalStream: (path: string, init?: RequestInit) => Promise<Response>;
  readonly functions: FunctionsView & ManagementDeps['functions'];
  readonly realtime: Pick<RealtimeService, 'deliveryChecks' | 'report'>;
  readonly backups: BackupDeps['backups'];
  readonly drills: BackupDeps['drills'];
  readonly configuration: SettingsDeps['configuration'];
  readonly restart: SettingsDeps['restart'];
  /** Writes a change to the schema as a migration file in the project. */
  readonly writeMigration: WriteMigration;
  /** The folder `.plinth/`, which contains the key that encrypts second factors. */
  readonly dataDir: string;
  readonly telemetry: Telemetry;
  /** The folder of the built web app (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ConsoleService extends Service {
  /** Returns a new one-time link that is valid for ten minutes. If no name is specified, the link is for `owner`. */
  issueLink(operatorName?: string): Promise<string>;
  listOperators(): Promise<
    { name: string; role: OperatorRole; created_at: string; last_sign_in_at: string | null }[]
  >;
  /** Returns false if an operator with this name already exists. */
  createOperator(name: string, role: OperatorRole): Promise<boolean>;
  /** Access tokens for the Management API. */
  readonly tokens: Pick<Tokens, 'create' | 'list' | 'revoke'>;
  /** Calls the Management API with all permissions, as the command line does. */
  manage(name: Parameters<Management['call']>[0], input: unknown): Promise<unknown>;
}

/** The limit for requests with unknown access tokens, per IP address. */
const tokenAttempts = { max: 10, windowMs: 60_000, addresses: 1000 };

export function createConsole(deps: ConsoleDeps): ConsoleService {
  const { database, log } = deps;
  const db = database.pool('supabase_admin');
  const factorRequired = (): boolean => deps.config.current.plinth.console.require_mfa;
  const issuer = `${deps.config.current.project_id} Console`;
  const sessions = createSessions({
    db,
    consoleUrl: deps.consoleUrl,
    ownAddress: deps.ownAddress,
    factorRequired,
  });
  const factors = createFactors({
    database,
    seal: createSeal(join(deps.dataDir, 'console.key')),
    guesses: deps.guesses,
    clock: deps.clock,
    issuer,
    required: factorRequired,
  });
  const passkeys = createPasskeys({
    db,
    consoleUrl: deps.consoleUrl,
    issuer,
  });
  const linkOf = (token: string): string => `${deps.consoleUrl()}/console/sign-in#token=${token}`;
  const face = createWebFace(`${deps.webDir}/console`);
  const audit = createAudit(db);
  const advisors = createRecentAdvisors(database.pool('postgres'), deps.config, deps.clock.now);
  const problems = () => problemsOf({ ...deps, pool: database.pool('postgres'), findings: advisors.recent });
  const callService = createServiceClient(deps);
  const tokens = createTokens({ db, operatorNamed: sessions.operatorNamed, audit });
  const management = createManagement({
    ...deps,
    audit,
    callService,
    findings: advisors.fresh,
    createdAt: () => statSync(deps.dataDir).birthtimeMs,
  });

  return {
    name: 'console',
    mounts: [
      {
        prefix: '/v1',
        cors: 'none',
        apiKeys: false,
        documents: 'plinth',
        plugin: managementPlugin({
          management,
          tokens,
          attempts: createAttempts(tokenAttempts),
          uploadLimits: deps.functions.deployments.limits,
          log,
        }),
      },
      {
        prefix: '/console',
        cors: 'none',
        apiKeys: false,
        documents: 'plinth',
        plugin: async (app) => {
          await app.register(
            async (scope) => {
              // Uploaded files are passed to the handlers as streams.
              scope.addContentTypeParser('application/octet-stream', (_request, body, done) =>
                done(null, body),
              );
              const api = createApi(scope, sessions, log);
              signInRoutes(scope, api, { sessions, audit });
              operatorRoutes(api, { database, sessions, factors, factorRequired, linkOf }, audit);
              passkeyRoutes(api, { passkeys, sessions }, audit);
              homeRoutes(api, deps, problems);
              advisorRoutes(api, {
                pool: database.pool('postgres'),
                advisors,
                audit,
                writeMigration: deps.writeMigration,
              });
              tableRoutes(api, { database, clock: deps.clock, audit });
              schemaRoutes(api, {
                pool: database.pool('postgres'),
                audit,
                writeMigration: deps.writeMigration,
              });
              userRoutes(api, { ...deps, audit });
              storageRoutes(api, {
                callService,
                audit,
                apiUrl: deps.apiUrl,
                fileSizeLimitBytes: () => deps.config.current.storage.file_size_limit,
              });
              functionRoutes(scope, api, { ...deps, audit });
              realtimeRoutes(api, { ...deps, audit });
              referenceRoutes(api, { ...deps, audit });
              logRoutes(scope, api, deps);
              settingsRoutes(api, { ...deps, audit });
              messageRoutes(api, { ...deps, audit });
              backupRoutes(api, { ...deps, audit });
              keyRoutes(api, {
                keys: deps.keys,
                jwtExpirySeconds: () => deps.config.current.auth.jwt_expiry,
                audit,
              });
              inboxRoutes(api, deps.inbox, audit);
              personaRoutes(api, database, deps.clock);
              sqlRoutes(api, database, deps.clock, audit);
              policyRoutes(api, database, audit);
              jobRoutes(api, database, audit);
              queryRoutes(api, database, audit);
              whyRoutes(api, database, deps.clock);
            },
            { prefix: '/api' },
          );
          pageRoutes(app, face, deps.apiUrl);
        },
      },
    ],
    issueLink: async (operatorName) => linkOf(await sessions.issueLinkToken(operatorName)),
    listOperators: () => queries.listOperators(db),
    createOperator: async (name, role) => {
      const made = await queries.createOperator(db, name, role);
      if (made !== undefined) await audit({ operator: commandLine }, 'operator.create', name, { role });
      return made !== undefined;
    },
    tokens,
    manage: (name, input) => management.call(name, input, { operator: { ...commandLine, role: 'owner' } }),
  };
}

function signInRoutes(
  scope: FastifyInstance,
  api: Api,
  { sessions, audit }: { readonly sessions: Sessions; readonly audit: Audit },
): void {
  scope.post('/sign-in', async (request, reply) => {
    sessions.checkSignIn(request);
    const { signIn } = await import('./operators/contract.ts');
    const { token } = await parseAs(signIn, request.body);
    const operator = await sessions.signIn(token, request, reply);
    await audit({ operator, request }, 'sign-in', operator.name);
    return reply.send(sessions.described(operator));
  });
  const route = api.feature(() => import('./operators/contract.ts'));
  route('GET /session', 'read', async ({ operator }) => sessions.described(operator), {
    beforeFactor: true,
  });
  route(
    'POST /sign-out',
    'read',
    async (call) => {
      await sessions.signOut(call.request, call.reply);
      await audit(call, 'sign-out', call.operator.name);
    },
    { changes: 'own session', beforeFactor: true },
  );
}

function pageRoutes(app: FastifyInstance, face: WebFace, apiUrl: () => string): void {
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
    face.sendAsset(request, reply, request.params.name),
  );
  // The web app has its own router, so the server returns the same HTML for each of its paths.
  app.get('/*', { config: { isPage: true } }, (request, reply) => {
    const html = face.html('index.html');
    if (html === undefined) {
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send('The web app has not been built. Run: npm run build\n');
    }
    return face.sendPage(request, reply, {
      html: html.replace(arrivalPlaceholder, arrivalOf(request.headers)),
      frames: true,
      api: new URL(apiUrl()).origin,
    });
  });
}
