/**
 * The routes of the Console's API. These routes are loaded only after the ports have been opened, because together they
 * are a large part of the code.
 */
import type { FastifyInstance } from 'fastify';
import type { Seal } from '../../base/shared/seal.ts';
import type { RecentAdvisors } from './advisors/recent.ts';
import { advisorRoutes } from './advisors/routes.ts';
import type { Audit } from './audit.ts';
import { backupRoutes } from './backups/routes.ts';
import type { ConsoleDeps } from './deps.ts';
import { functionRoutes } from './functions/routes.ts';
import type { Problem } from './home/contract.ts';
import { createOverview } from './home/overview.ts';
import { homeRoutes } from './home/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { logRoutes } from './logs/routes.ts';
import { migrationRoutes } from './migrations/routes.ts';
import type { Factors } from './operators/factors.ts';
import { passkeyRoutes } from './operators/passkey-routes.ts';
import type { Passkeys } from './operators/passkeys.ts';
import { operatorRoutes } from './operators/routes.ts';
import { personaRoutes } from './persona/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import { queryRoutes } from './queries-page/routes.ts';
import { realtimeRoutes } from './realtime/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { type Api, createApi, parseAs } from './routes/api.ts';
import { importTableRoutes } from './schema/import-table.ts';
import { schemaRoutes } from './schema/routes.ts';
import { searchRoutes } from './search/routes.ts';
import type { ServiceClient } from './service-client.ts';
import type { Sessions } from './sessions.ts';
import { messageRoutes } from './settings/message-routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import type { SettingsLock } from './settings/write-files.ts';
import { sqlRoutes } from './sql-page/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { tableRoutes } from './tables/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import type { Tokens } from './tokens/tokens.ts';
import { userRoutes } from './users/routes.ts';
import { whyRoutes } from './why/routes.ts';

/** The Console's dependencies, plus the components that {@link ConsoleService} also uses. */
export interface ApiParts extends ConsoleDeps {
  readonly sessions: Sessions;
  readonly factors: Factors;
  readonly factorRequired: () => boolean;
  readonly passkeys: Passkeys;
  readonly linkOf: (token: string) => string;
  readonly audit: Audit;
  readonly tokens: Tokens;
  readonly advisors: RecentAdvisors;
  readonly problems: () => Promise<Problem[]>;
  readonly callService: ServiceClient;
  readonly seal: Seal;
  readonly settingsLock: SettingsLock;
}

export function apiRoutes(scope: FastifyInstance, parts: ApiParts): void {
  const { database, sessions, factors, factorRequired, passkeys, linkOf, audit, clock, log } = parts;
  const pool = database.pool('postgres');
  const { writeMigration } = parts;
  const api = createApi(scope, sessions, log);
  signInRoutes(scope, api, { sessions, audit });
  operatorRoutes(
    api,
    { database, sessions, factors, factorRequired, linkOf, mailer: parts.mailer, config: parts.config },
    audit,
  );
  passkeyRoutes(api, { passkeys, sessions }, audit);
  const overview = createOverview({ pool, telemetry: parts.telemetry, now: () => clock.now() });
  homeRoutes(api, parts, { problems: parts.problems, overview });
  tokenRoutes(api, parts.tokens);
  advisorRoutes(api, { pool, advisors: parts.advisors, audit, writeMigration });
  const progress = new Map<string, number>();
  tableRoutes(scope, api, { database, clock, audit, progress });
  importTableRoutes(api, { pool, audit, writeMigration, progress });
  schemaRoutes(api, { pool, audit, writeMigration });
  userRoutes(api, parts);
  storageRoutes(api, {
    database,
    callService: parts.callService,
    audit,
    apiUrl: parts.apiUrl,
    fileSizeLimitBytes: () => parts.config.current.storage.file_size_limit,
  });
  functionRoutes(scope, api, parts);
  realtimeRoutes(api, parts);
  referenceRoutes(api, parts);
  logRoutes(scope, api, parts);
  settingsRoutes(api, parts);
  messageRoutes(api, parts);
  backupRoutes(api, parts);
  keyRoutes(api, {
    keys: parts.keys,
    jwtExpirySeconds: () => parts.config.current.auth.jwt_expiry,
    audit,
  });
  inboxRoutes(api, parts.inbox, audit);
  personaRoutes(api, database, clock);
  sqlRoutes(api, { database, clock, audit, seal: parts.seal });
  searchRoutes(api, parts);
  policyRoutes(api, database, audit, writeMigration);
  migrationRoutes(api, { ...parts, pool });
  jobRoutes(api, database, audit);
  queryRoutes(api, database, audit);
  whyRoutes(api, database, clock);
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
