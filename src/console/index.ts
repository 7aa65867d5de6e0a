/**
 * The Console's server side, on a separate port. It serves the built pages below `/console`, signs operators in, and serves
 * the API that every page uses. Service credentials never leave the server.
 *
 * Glossary. *Operator*: a person who runs the project, not an end user of the app. *Link*: a one-time sign-in address;
 * its secret is in the fragment, which server logs don't contain. *Permission*: read, secrets, write or own (`core/roles.ts`).
 */
import { join } from 'node:path';
import type { AttemptLimits, MessagePreviews, UserAdministration } from '../auth/index.ts';
import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { OwnAddress } from '../kernel/request-origin.ts';
import type { Service } from '../kernel/service.ts';
import { createWebFace } from '../kernel/web-face.ts';
import type { KeyStore } from '../keys/index.ts';
import type { Inbox, Mailer } from '../mail/types.ts';
import type { RealtimeService } from '../realtime/types.ts';
import type { Attempt } from '../rest/index.ts';
import type { Telemetry } from '../telemetry/types.ts';
import { commandLine, createAudit } from './audit.ts';
import { arrivalOf, arrivalPlaceholder } from './core/arrival.ts';
import type { OperatorRole } from './core/roles.ts';
import { type FunctionsView, functionRoutes } from './functions/routes.ts';
import { type HomeDeps, homeRoutes } from './home/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { logRoutes } from './logs/routes.ts';
import { createFactors } from './operators/factors.ts';
import { passkeyRoutes } from './operators/passkey-routes.ts';
import { createPasskeys } from './operators/passkeys.ts';
import { operatorRoutes } from './operators/routes.ts';
import { createSeal } from './operators/seal.ts';
import { personaRoutes } from './persona/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import * as queries from './queries.ts';
import { realtimeRoutes } from './realtime/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { createApi, parseAs } from './routes/api.ts';
import type { WriteMigration } from './schema/apply.ts';
import { schemaRoutes } from './schema/routes.ts';
import { createServices } from './services.ts';
import { createSessions } from './sessions.ts';
import { messageRoutes } from './settings/message-routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { sqlRoutes } from './sql-page/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { tableRoutes } from './tables/routes.ts';
import { userRoutes } from './users/routes.ts';
import { whyRoutes } from './why/routes.ts';

export type { OperatorRole } from './core/roles.ts';
export { roles } from './core/roles.ts';

export const migrations: MigrationSet = { room: 'console', dir: new URL('./sql/', import.meta.url) };

export interface ConsoleDeps {
  readonly database: Database;
  readonly keys: KeyStore;
  readonly config: Config;
  readonly inbox: Inbox;
  readonly mailer: Mailer;
  readonly messagePreviews: MessagePreviews;
  readonly users: UserAdministration;
  readonly guesses: AttemptLimits;
  /** The folder that contains `supabase/`, and `supabase/` itself. Settings are written there. */
  readonly projectDir: string;
  readonly supabaseDir: string;
  readonly apiUrl: () => string;
  /** The Console's address for operators, for example `http://127.0.0.1:54323`. */
  readonly consoleUrl: () => string;
  /** The host names that the Console accepts. */
  readonly ownAddress: OwnAddress;
  /** The health of every service: undefined, or a sentence about the problem. */
  readonly health: () => Record<string, string | undefined>;
  /** Project statements that were skipped at startup because of --keep-going. */
  readonly leftOut: HomeDeps['leftOut'];
  /** Sends a request to REST that can be rolled back. */
  readonly attempt: Attempt;
  /** Sends a request to a service in this process, for example /auth/v1/admin/users. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Like `internalFetch`, but streams the response body. `init.signal` ends the response. */
  readonly internalStream: (path: string, init?: RequestInit) => Promise<Response>;
  readonly functions: FunctionsView;
  readonly realtime: Pick<RealtimeService, 'verdicts' | 'report'>;
  /** Writes a schema change as a migration of the project. */
  readonly writeMigration: WriteMigration;
  /** `.plinth/`, which contains the key that encrypts second factors. */
  readonly dataDir: string;
  /** The log and the metrics. */
  readonly telemetry: Telemetry;
  /** The folder of the built web app (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ConsoleService extends Service {
  /** Returns a new one-time link, valid for ten minutes. The default operator is `owner`. */
  issueLink(operatorName?: string): Promise<string>;
  listOperators(): Promise<
    { name: string; role: OperatorRole; created_at: string; last_sign_in_at: string | null }[]
  >;
  /** Returns false if an operator with this name exists. */
  createOperator(name: string, role: OperatorRole): Promise<boolean>;
}

export function createConsole(deps: ConsoleDeps): ConsoleService {
  const { database, log } = deps;
  const db = database.pool('supabase_admin');
  const factorRequired = deps.config.plinth.console.require_mfa;
  const sessions = createSessions({
    db,
    clock: deps.clock,
    consoleUrl: deps.consoleUrl,
    ownAddress: deps.ownAddress,
    factorRequired,
  });
  const factors = createFactors({
    database,
    seal: createSeal(join(deps.dataDir, 'console.key')),
    guesses: deps.guesses,
    clock: deps.clock,
    issuer: `${deps.config.project_id} Console`,
    required: factorRequired,
  });
  const passkeys = createPasskeys({
    db,
    consoleUrl: deps.consoleUrl,
    issuer: `${deps.config.project_id} Console`,
  });
  const linkOf = (token: string): string => `${deps.consoleUrl()}/console/sign-in#token=${token}`;
  const face = createWebFace(`${deps.webDir}/console`);
  const audit = createAudit(db);
  const services = createServices(deps);

  return {
    name: 'console',
    mounts: [
      {
        prefix: '/console',
        cors: 'none',
        apiKeys: false,
        documents: 'plinth',
        plugin: async (app) => {
          await app.register(
            async (scope) => {
              // Passes uploaded files to the handlers as streams.
              scope.addContentTypeParser('application/octet-stream', (_request, body, done) =>
                done(null, body),
              );
              const api = createApi(scope, sessions, log);
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
              operatorRoutes(api, { database, sessions, factors, factorRequired, linkOf }, audit);
              passkeyRoutes(api, { passkeys, sessions }, audit);
              homeRoutes(api, deps);
              tableRoutes(api, { database, clock: deps.clock, audit });
              schemaRoutes(api, {
                pool: database.pool('postgres'),
                audit,
                writeMigration: deps.writeMigration,
              });
              userRoutes(api, { ...deps, audit });
              storageRoutes(api, {
                services,
                audit,
                apiUrl: deps.apiUrl,
                fileSizeLimitBytes: deps.config.storage.file_size_limit,
              });
              functionRoutes(scope, api, { ...deps, audit });
              realtimeRoutes(api, { ...deps, audit });
              referenceRoutes(api, { ...deps, audit });
              logRoutes(scope, api, deps);
              settingsRoutes(api, { ...deps, audit });
              messageRoutes(api, { ...deps, audit });
              keyRoutes(api, { keys: deps.keys, jwtExpirySeconds: deps.config.auth.jwt_expiry, audit });
              inboxRoutes(api, deps.inbox, audit);
              personaRoutes(api, database, deps.clock);
              sqlRoutes(api, database, deps.clock, audit);
              policyRoutes(api, database, audit);
              jobRoutes(api, database, audit);
              whyRoutes(api, database, deps.clock);
            },
            { prefix: '/api' },
          );
          app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
            face.sendAsset(request, reply, request.params.name),
          );
          // The web app has its own router, so each of its addresses returns the same HTML.
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
              api: new URL(deps.apiUrl()).origin,
            });
          });
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
  };
}
