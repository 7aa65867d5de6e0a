/**
 * The server side of the Console, which has its own port. Serves the built pages under `/console`, signs operators in,
 * and serves the API for all pages. Service credentials stay on the server unless an owner reveals them.
 *
 * Glossary. *Operator*: a person who runs the project, as opposed to an end user of the app. *Link*: a one-time sign-in
 * URL. The URL's fragment contains the secret, because fragments don't appear in server logs. *Permission*: read,
 * secrets, write or own (`core/roles.ts`).
 */
import { statSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { FastifyInstance, FastifyPluginAsync } from 'fastify';
import type { Mount, Service } from '../../base/kernel/service.ts';
import { accepts, createWebFace, type WebFace } from '../../base/kernel/web-face.ts';
import { RequestBody } from '../../base/shared/http/request-body.ts';
import type { MigrationSet, Queryable } from '../../platform/database/types.ts';
import { ownCommand } from '../../platform/packages/index.ts';
import { createRecentAdvisors, type RecentAdvisors } from './advisors/recent.ts';
import { createLazyAlerts } from './alerts/lazy.ts';
import { type Audit, commandLine, createAudit } from './audit.ts';
import type { AdmittedOperator, BranchOperator } from './branches/types.ts';
import { createAttempts } from './core/attempts.ts';
import type { OperatorRole } from './core/roles.ts';
import type { ConsoleDeps } from './deps.ts';
import type { ProblemDeps } from './home/problems.ts';
import type { Management } from './management/calls.ts';
import type { Caller } from './management/handlers.ts';
import { createLazyManagement } from './management/lazy.ts';
import type { ManagementRoutesDeps } from './management/routes.ts';
import { withMarkedStatements } from './mark-statements.ts';
import type { LocalAnswer, LocalMessage } from './mcp/local.ts';
import type { McpRoutesDeps } from './mcp/routes.ts';
import type { McpDeps } from './mcp/types.ts';
import { answerQuestions } from './nodes/answers.ts';
import { createNodeLogs, type NodeLogs } from './nodes/logs.ts';
import * as queries from './queries.ts';
import { createServiceClient } from './service-client.ts';
import { createSessions, type Sessions } from './sessions.ts';
import { createSettingsLock } from './settings/write-files.ts';
import { createLazyHistory } from './statement-history/lazy.ts';
import { createTokens, type Tokens } from './tokens/tokens.ts';

export type {
  AdmittedOperator,
  Branch,
  BranchChange,
  Branches,
  BranchOperator,
  NewBranch,
} from './branches/types.ts';
export { type OperatorRole, roles } from './core/roles.ts';
export { type ConsoleProject, type ConsoleSite, keyFile } from './deps.ts';
export { ManagementError } from './management/handlers.ts';
export type { ManagementCallName } from './management/inputs.ts';
export type { FunctionFolder } from './mcp/types.ts';
export type { CreatedToken, TokenRow } from './tokens/tokens.ts';

export const migrations: MigrationSet = { module: 'console', dir: new URL('./sql/', import.meta.url) };

export interface ConsoleService extends Service {
  /** Returns a new one-time sign-in link that is valid for ten minutes. The operator defaults to `owner`. */
  issueLink(operatorName?: string): Promise<string>;
  listOperators(): Promise<
    { name: string; role: OperatorRole; created_at: string; last_sign_in_at: string | null }[]
  >;
  /** Creates an operator. Returns false if the operator name is already in use. */
  createOperator(name: string, role: OperatorRole): Promise<boolean>;
  /** Access tokens for the Management API. */
  readonly tokens: Pick<Tokens, 'create' | 'list' | 'revoke'>;
  /** Calls the Management API with all permissions, as the command line does. */
  manage(
    name: Parameters<Management['call']>[0],
    input: unknown,
    /** The operator on whose behalf the call is made, and the ref of the branch that it concerns. */
    options?: { readonly operator?: BranchOperator; readonly ref?: string | undefined },
  ): Promise<unknown>;
  /**
   * Creates a one-time sign-in link for an operator of the project that this server is a branch of. The operator is
   * created if necessary and has the given role.
   */
  admit(operator: BranchOperator): Promise<string>;
  /** Changes or removes operators of this branch who have another role in its project now, or none. */
  setOperators(operators: readonly AdmittedOperator[]): Promise<void>;
  /** Serves a message of an AI agent that runs on this machine (`plinth mcp`). */
  mcp(message: LocalMessage): Promise<LocalAnswer>;
}

/** The maximum number of requests with unknown access tokens from an IP address. */
const tokenAttempts = { max: 10, windowMs: 60_000, addresses: 1000 };

export function createConsole(given: ConsoleDeps): ConsoleService {
  const deps: ConsoleDeps = { ...given, database: withMarkedStatements(given.database) };
  const { database, keys, group, config, services, project, api, site, server, log } = deps;
  const db = database.pool('supabase_admin');
  const factorRequired = (): boolean => config.current.plinth.console.require_mfa;
  const sessions = createSessions({
    db,
    consoleUrl: site.url,
    ownAddress: site.ownAddress,
    factorRequired,
  });
  const linkOf = (token: string): string => `${site.url()}/console/sign-in#token=${token}`;
  const face = createWebFace(`${site.webDir}/console`);
  const audit = createAudit(db);
  const advisors = createRecentAdvisors(database.pool('postgres'), config, deps.clock.now);
  const callService = createServiceClient({ keys, fetch: api.fetch });
  const settingsLock = createSettingsLock(group.change);
  const tokens = createTokens({ db, operatorNamed: sessions.operatorNamed, audit });
  const logs = createNodeLogs(deps.view, deps.telemetry);
  const observation = createObservation(deps, advisors, logs);
  const management = createLazyManagement({
    database,
    config,
    keys,
    functions: services.functions,
    change: group.change,
    apiUrl: api.url,
    branches: deps.branches,
    keepMerged: project.keepMerged,
    newMigrations: project.newMigrations,
    sentFiles: project.sentFiles,
    inspection: project.inspection,
    logs,
    now: deps.clock.now,
    findings: advisors.fresh,
    createdAt: () => statSync(project.dataDir).birthtimeMs,
    callService,
    projectDir: project.dir,
    savedDir: project.savedDir,
    configuration: server.configuration,
    restart: server.restart,
    messagePreviews: services.auth.messagePreviews,
    ...{ settingsLock, audit },
  });

  answerQuestions({
    ...{ view: deps.view, telemetry: deps.telemetry, keys },
    functions: services.functions,
    now: () => deps.clock.now(),
  });
  const mcp: McpDeps = {
    database,
    config,
    keys,
    management,
    logs,
    inbox: services.mail.inbox,
    runTests: project.runTests,
    functionFolder: project.functionFolder,
    apiUrl: api.url,
    ...{ clock: deps.clock, audit },
  };

  return {
    name: 'console',
    mounts: [
      ...programMounts({
        management,
        mcp,
        tokens,
        db,
        audit,
        site,
        attempts: createAttempts(tokenAttempts),
        usesDocuments: () => config.current.plinth.console.agent_documents,
        uploadLimits: services.functions.deployments.limits,
        log,
      }),
      {
        prefix: '/console',
        cors: 'none',
        apiKeys: false,
        documents: 'plinth',
        isOnDemand: true,
        plugin: async (app) => {
          await app.register(
            async (scope) => {
              compressResponses(scope);
              // Uploaded files are passed to the route handlers as streams. A handler may not need the whole file, and
              // the rest of the file must not block the connection.
              scope.addContentTypeParser('application/octet-stream', (request, _body, done) =>
                done(null, new RequestBody(request.raw)),
              );
              scope.addHook('onResponse', async ({ body }) => {
                if (body instanceof RequestBody) body.destroy();
              });
              // Request bodies aren't checked for keys such as `__proto__` and `constructor`, because columns can have
              // these names. Such keys are harmless, because every body is parsed with the schema in its route's
              // contract.
              scope.addContentTypeParser(
                'application/json',
                { parseAs: 'string' },
                scope.getDefaultJsonParser('ignore', 'ignore'),
              );
              const { apiRoutes } = await import('./api-routes.ts');
              apiRoutes(scope, deps, {
                ...{ sessions, tokens, audit, advisors, ...observation.parts },
                ...{ callService, management, settingsLock },
                factorRequired,
                linkOf,
              });
            },
            { prefix: '/api' },
          );
          pageRoutes(app, face, api.url, sessions);
        },
      },
    ],
    start: async () => observation.start(),
    stop: observation.stop,
    issueLink: async (operatorName) => linkOf(await sessions.issueLinkToken(operatorName)),
    listOperators: () => queries.listOperators(db),
    createOperator: async (name, role) => {
      const made = await queries.createOperator(db, name, role);
      if (made !== undefined) await audit({ operator: commandLine }, 'operator.create', name, { role });
      return made !== undefined;
    },
    tokens,
    mcp: async (message) => (await import('./mcp/local.ts')).serveLocalMcp(mcp, log, message),
    manage: (name, input, { operator, ref } = {}) =>
      management.call(name, input, { operator: actorOf(operator) }, ref),
    ...ofBranch(db, audit, async (name) => linkOf(await sessions.issueLinkToken(name))),
  };
}

/** What the Console observes while no operator is signed in: the history of statements, and problems for alerts. */
function createObservation(
  { database, group, config, services, project, site, server, view, clock, log }: ConsoleDeps,
  advisors: RecentAdvisors,
  logs: NodeLogs,
) {
  const db = database.pool('supabase_admin');
  const history = createLazyHistory({ database, db, isShared: group.isShared, now: clock.now, log });
  const problemDeps: ProblemDeps = {
    ...{ pool: database.pool('postgres'), db, config, history },
    health: server.health,
    conditions: server.conditions,
    findings: advisors.recent,
    metrics: logs.metrics,
    nodes: view.isShared ? server.nodes : async () => [],
    backups: services.backups,
    configuration: server.configuration,
    place: { projectDir: project.dir, savedDir: project.savedDir },
  };
  const alerts = createLazyAlerts({
    ...{ db, config, isShared: group.isShared, log },
    problems: async () =>
      (await import('./alerts/problems.ts')).alertProblems({ ...problemDeps, findings: advisors.hourly }),
    mailer: services.mail.mailer,
    consoleUrl: site.url,
    mode: project.inspection.isProduction ? 'production' : 'development',
    now: () => clock.now(),
  });
  return {
    parts: { history, alerts, problemDeps },
    start() {
      history.start();
      alerts.start();
    },
    async stop() {
      await Promise.all([history.stop(), alerts.stop()]);
    },
  };
}

/**
 * Returns the mounts for programs that act for an operator: the Management API, the MCP endpoint and its OAuth server.
 */
const programMounts = (deps: ManagementRoutesDeps & McpRoutesDeps): Mount[] => [
  ...([1, 2] as const).map((version) =>
    onDemand(`/v${version}`, async () =>
      (await import('./management/routes.ts')).managementPlugin(deps, version),
    ),
  ),
  onDemand('/mcp', async () => (await import('./mcp/routes.ts')).mcpPlugin(deps)),
  onDemand('/oauth', async () => (await import('./mcp/oauth/routes.ts')).oauthPlugin(deps)),
  onDemand('/.well-known', async () => (await import('./mcp/oauth/routes.ts')).metadataPlugin(deps)),
];

/** Returns a mount whose code is loaded with the first request. */
const onDemand = (prefix: string, load: () => Promise<FastifyPluginAsync>): Mount => ({
  prefix,
  cors: 'none',
  apiKeys: false,
  documents: 'plinth',
  isOnDemand: true,
  plugin: async (app) => {
    await app.register(await load());
  },
});

/** Returns the functions with which the server of a project manages the operators of its branch. */
const ofBranch = (
  db: Queryable,
  audit: Audit,
  issueLink: (operatorName: string) => Promise<string>,
): Pick<ConsoleService, 'admit' | 'setOperators'> => ({
  async admit({ name, role }) {
    await queries.saveOperator(db, name, role);
    await audit({ operator: { id: null, name } }, 'branch.open', name, { role });
    return issueLink(name);
  },
  async setOperators(operators) {
    for (const { name, role } of operators) {
      if (!(await queries.changeOperator(db, name, role))) continue;
      if (role === null) await audit({ operator: commandLine }, 'operator.remove', name);
      else await audit({ operator: commandLine }, 'operator.role', name, { to: role });
    }
  },
});

/** Returns the operator of a call from another process. Commands have all permissions. */
const actorOf = (operator: BranchOperator | undefined): Caller['operator'] =>
  operator === undefined ? { ...commandLine, role: 'owner' } : { id: null, ...operator };

/** The placeholder in the built HTML for the command line that runs Plinth. */
const commandPlaceholder = '%PLINTH_COMMAND%';

function pageRoutes(
  app: FastifyInstance,
  face: WebFace,
  apiUrl: () => string,
  sessions: Pick<Sessions, 'hasCookie'>,
): void {
  app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
    face.sendAsset(request, reply, request.params.name),
  );
  // Returns the same HTML for all paths, because the web app has its own router.
  app.get('/*', { config: { isPage: true } }, (request, reply) => {
    const html = face.html('index.html');
    if (html === undefined) {
      return reply
        .code(503)
        .type('text/plain; charset=utf-8')
        .send('The web app has not been built. Run: npm run build\n');
    }
    return face.sendPage(request, reply, {
      html: html
        .replace(arrivalPlaceholder, arrivalOf(request.headers))
        .replace(sessionPlaceholder, sessionHint(request.headers, sessions.hasCookie(request)))
        .replace(commandPlaceholder, ownCommand()),
      frames: true,
      api: new URL(apiUrl()).origin,
    });
  });
}

/** The minimum length of responses that are compressed. Shorter responses fit in a single packet. */
const minLength = 1400;

const compressed = promisify(gzip);

/**
 * Compresses the API's JSON responses. The first rows of a table and the list of tables shrink to about an eighth of
 * their size, which makes a difference on slow connections. The session cookie is SameSite=Strict, so another website can't measure how well a secret
 * compresses together with input that the website has chosen (BREACH).
 */
function compressResponses(app: FastifyInstance): void {
  app.addHook('onSend', async (request, reply, payload) => {
    if (typeof payload !== 'string' || payload.length < minLength) return payload;
    if (reply.hasHeader('content-encoding') || !accepts(request, 'gzip')) return payload;
    if (!String(reply.getHeader('content-type')).startsWith('application/json')) return payload;
    reply.headers({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
    reply.removeHeader('content-length');
    return compressed(payload, { level: constants.Z_BEST_SPEED });
  });
}

/** Placeholders in the built HTML that are replaced in each response. */
const arrivalPlaceholder = '%PLINTH_ARRIVAL%';
const sessionPlaceholder = '%PLINTH_SESSION%';

/**
 * Determines whether a page load came from another website. A link on another website can contain a different operator's
 * sign-in token. After following such a link, the user would unknowingly work in that operator's session (login CSRF), so
 * the sign-in page asks for confirmation before using the token.
 *
 * Returns `own` if the page load came from the Console itself or has no referring website (for example, if the user
 * opened the URL from the address bar, a terminal or an email client).
 */
function arrivalOf(headers: IncomingHttpHeaders): 'own' | 'foreign' {
  const site = headers['sec-fetch-site'];
  return site === 'none' || site === 'same-origin' ? 'own' : 'foreign';
}

/**
 * Returns `none` if the operator can't be signed in, so that the page doesn't show the Console's frame and menu at
 * first. If the user followed a link on another website, the browser doesn't send the cookie, so a missing cookie
 * proves nothing.
 */
const sessionHint = (headers: IncomingHttpHeaders, hasCookie: boolean): 'none' | 'possible' =>
  !hasCookie && arrivalOf(headers) === 'own' ? 'none' : 'possible';
