/**
 * The routes of the Console's API. These routes are loaded only after the ports have been opened, because together they
 * are a large part of the code.
 */

import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { createOutgoing } from '../../base/shared/network/outgoing.ts';
import { createSeal, type Seal } from '../../base/shared/seal.ts';
import { accessRoutes } from './access/routes.ts';
import type { RecentAdvisors } from './advisors/recent.ts';
import { advisorRoutes } from './advisors/routes.ts';
import { agentRoutes } from './agents/routes.ts';
import type { Alerts } from './alerts/alerts.ts';
import { alertRoutes } from './alerts/routes.ts';
import { askRoutes } from './ask/routes.ts';
import type { Audit } from './audit.ts';
import { backupRoutes } from './backups/routes.ts';
import { branchRoutes } from './branches/routes.ts';
import { type ConsoleDeps, keyFile } from './deps.ts';
import { extensionRoutes } from './extensions/routes.ts';
import { functionRoutes } from './functions/routes.ts';
import { graphqlRoutes } from './graphql/routes.ts';
import { createOverview } from './home/overview.ts';
import { type ProblemDeps, problemsOf } from './home/problems.ts';
import { homeRoutes } from './home/routes.ts';
import { inboxRoutes } from './inbox/routes.ts';
import { indexRoutes } from './indexes/routes.ts';
import { jobRoutes } from './jobs/routes.ts';
import { keyRoutes } from './keys/routes.ts';
import { logRoutes } from './logs/routes.ts';
import type { Management } from './management/calls.ts';
import { createClientDocuments } from './mcp/oauth/client-documents.ts';
import { createGrants } from './mcp/oauth/grants.ts';
import { migrationRoutes } from './migrations/routes.ts';
import { createNodeFunctions } from './nodes/functions.ts';
import { createNodeLogs } from './nodes/logs.ts';
import { nodeRoutes } from './nodes/routes.ts';
import { objectRoutes } from './objects/routes.ts';
import { createFactors } from './operators/factors.ts';
import { passkeyRoutes } from './operators/passkey-routes.ts';
import { createPasskeys } from './operators/passkeys.ts';
import { operatorRoutes } from './operators/routes.ts';
import { personaRoutes } from './persona/routes.ts';
import { policyRoutes } from './policies/routes.ts';
import { queryRoutes } from './queries-page/routes.ts';
import { realtimeRoutes } from './realtime/routes.ts';
import { referenceRoutes } from './reference/routes.ts';
import { replayRoutes } from './replay/routes.ts';
import { type Api, createApi, parseAs } from './routes/api.ts';
import { routineRoutes } from './routines/routes.ts';
import { importTableRoutes } from './schema/import-table.ts';
import { schemaRoutes } from './schema/routes.ts';
import { searchRoutes } from './search/routes.ts';
import type { ServiceClient } from './service-client.ts';
import type { Sessions } from './sessions.ts';
import { messageRoutes } from './settings/message-routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import type { SettingsLock } from './settings/write-files.ts';
import { sqlRoutes } from './sql-page/routes.ts';
import type { History } from './statement-history/history.ts';
import { historyRoutes } from './statement-history/routes.ts';
import { storageRoutes } from './storage/routes.ts';
import { tableRoutes } from './tables/routes.ts';
import { tokenRoutes } from './tokens/routes.ts';
import type { Tokens } from './tokens/tokens.ts';
import { triggerRoutes } from './triggers/routes.ts';
import type { Limits } from './undo/journal.ts';
import { createRecorder } from './undo/recorder.ts';
import { undoRoutes } from './undo/routes.ts';
import { userWebhookRoutes } from './user-webhooks/routes.ts';
import { userRoutes } from './users/routes.ts';
import { viewRoutes } from './views/routes.ts';
import { whyRoutes } from './why/routes.ts';

/** The parts of the Console that the Management API and the command line use too. */
export interface ConsoleParts {
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly audit: Audit;
  readonly advisors: RecentAdvisors;
  readonly callService: ServiceClient;
  readonly management: Pick<Management, 'call'>;
  readonly settingsLock: SettingsLock;
  readonly history: History;
  readonly alerts: Pick<Alerts, 'check' | 'list' | 'test'>;
  /** What the home page's problems are collected from. */
  readonly problemDeps: ProblemDeps;
  /** Whether all operators must have a second factor. */
  readonly factorRequired: () => boolean;
  /** Returns the sign-in URL that contains a one-time token. */
  readonly linkOf: (token: string) => string;
}

/** Registers all features, each with the dependencies that it uses. */
export function apiRoutes(scope: FastifyInstance, deps: ConsoleDeps, parts: ConsoleParts): void {
  const { database, keys, group, view, config, telemetry, services, project, server, clock, log } = deps;
  const { auth, mail, rest, graphql, realtime, functions, backups, localBackups, verifications } = services;
  const { sessions, audit, advisors, callService, settingsLock, history } = parts;
  const { writeMigration } = project;
  const place = { projectDir: project.dir, savedDir: project.savedDir };
  const { configuration, restart, health } = server;
  const apiUrl = deps.api.url;
  const pool = database.pool('postgres');
  const seal = createSeal(join(project.dataDir, keyFile));
  const api = createApi(scope, sessions, log);
  const logs = createNodeLogs(view, telemetry);

  signInRoutes(scope, api, { sessions, audit });
  registerOperators(api, deps, parts, seal);
  homeRoutes(api, {
    config,
    database,
    keys,
    apiUrl,
    health,
    inbox: mail.inbox,
    functions,
    skipped: project.skipped,
    overview: createOverview({ pool, metrics: logs.metrics, now: () => clock.now() }),
    problems: () => problemsOf(parts.problemDeps),
  });
  advisorRoutes(api, { pool, advisors, audit, writeMigration });
  searchRoutes(api, { database, functions, logs, log });
  logRoutes(scope, api, {
    ...{ telemetry, view, logs, keys, audit },
    marks: (since) => history.marks(since),
    now: () => clock.now(),
  });
  nodeRoutes(api, server.nodes);

  const progress = new Map<string, number>();
  const limits = (): Limits => {
    const { undo_days: days, undo_max_size: maxBytes } = config.current.plinth.console;
    return { days, maxBytes };
  };
  const recorder = createRecorder({ database, limits, log });
  undoRoutes(api, { database, recorder, limits, audit });
  tableRoutes(scope, api, { database, clock, audit, recorder, progress });
  importTableRoutes(api, { pool, audit, writeMigration, progress });
  const { isProduction } = project.inspection;
  schemaRoutes(api, { pool, audit, writeMigration, runsEventTriggers: !isProduction });
  accessRoutes(api, database);
  objectRoutes(api, { database, audit, newMigrations: project.newMigrations, isProduction });
  routineRoutes(api, { database, clock, audit });
  triggerRoutes(api, pool);
  viewRoutes(api, { pool, audit });
  indexRoutes(api, pool);
  extensionRoutes(api, database, project.dataDir);
  policyRoutes(api, { database, clock, audit, writeMigration });
  migrationRoutes(api, { pool, clock, audit, writeMigration, projectMigrations: project.migrations });
  sqlRoutes(api, { database, clock, audit, seal, recorder });
  askRoutes(api, { database, config, audit });
  queryRoutes(api, { database, audit });
  historyRoutes(api, history);
  alertRoutes(api, { alerts: parts.alerts, audit });
  whyRoutes(api, { database, clock });
  personaRoutes(api, { database, clock });
  jobRoutes(api, { database, audit });

  userRoutes(api, { database, keys, users: auth.users, callService, apiUrl, clock, audit });
  userWebhookRoutes(api, { webhooks: auth.webhooks, audit });
  storageRoutes(api, {
    database,
    callService,
    audit,
    apiUrl,
    fileSizeLimitBytes: () => config.current.storage.file_size_limit,
  });
  functionRoutes(scope, api, {
    database,
    functions,
    view,
    onNodes: createNodeFunctions(view, functions.activity, () => clock.now()),
    keys,
    stream: deps.api.stream,
    createFunction: project.createFunction,
    folder: project.functionFolder,
    change: group.change,
    clock,
    audit,
  });
  realtimeRoutes(scope, api, { database, keys, apiUrl, clock, audit, realtime });
  referenceRoutes(api, { database, keys, config, clock, attempt: rest.attempt, audit });
  graphqlRoutes(api, { database, keys, config, clock, attempt: graphql.attempt, audit });
  replayRoutes(api, {
    ...{ database, keys, config, clock, audit, logs },
    services: { rest: rest.replay, graphql: graphql.replay, stream: deps.api.stream },
    writeTest: project.writeTest,
  });
  inboxRoutes(api, { inbox: mail.inbox, audit });

  const { messagePreviews } = auth;
  settingsRoutes(api, {
    ...place,
    messagePreviews,
    callbackUrl: auth.callbackUrl,
    configuration,
    restart,
    settingsLock,
    view,
    audit,
  });
  messageRoutes(api, {
    projectDir: project.dir,
    mailer: mail.mailer,
    messagePreviews,
    authChecks: auth.checks,
    audit,
  });
  backupRoutes(api, { backups, localBackups, verifications, database, config, audit });
  branchRoutes(api, { branches: deps.branches, management: parts.management, database, audit });
  keyRoutes(api, {
    keys,
    change: group.change,
    isInProject: () => group.isShared && config.current.auth.signing_keys_path !== undefined,
    jwtExpirySeconds: () => config.current.auth.jwt_expiry,
    audit,
  });
}

/** Registers the routes for operators, their second factors and passkeys, access tokens and AI agents. */
function registerOperators(
  api: Api,
  { database, config, services: { auth, mail }, branches, site, clock }: ConsoleDeps,
  { sessions, tokens, audit, factorRequired, linkOf }: ConsoleParts,
  seal: Seal,
): void {
  const issuer = `${config.current.project_id} Console`;
  const factors = createFactors({
    database,
    seal,
    guesses: auth.guesses,
    clock,
    issuer,
    required: factorRequired,
  });
  const { mailer } = mail;
  operatorRoutes(api, {
    ...{ database, sessions, factors, factorRequired, linkOf, mailer, config, audit, branches },
  });
  const db = database.pool('supabase_admin');
  passkeyRoutes(api, {
    passkeys: createPasskeys({ db, consoleUrl: site.url, issuer }),
    sessions,
    audit,
  });
  tokenRoutes(api, tokens);
  const documents = createClientDocuments({
    outgoing: createOutgoing({ mode: 'production' }),
    isEnabled: () => config.current.plinth.console.agent_documents,
    now: clock.now,
  });
  agentRoutes(api, { grants: createGrants({ db, audit }), site, documents });
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
