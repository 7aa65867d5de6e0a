/**
 * The Console's server side: serves the built pages below `/console`, signs operators in, and answers the one API that
 * every page uses. Service credentials stay here.
 *
 * Glossary. *Operator*: a person who runs the project, not an end user of the app. *Link*: a one-time sign-in address;
 * its secret travels in the fragment, which no server log sees. *Permission*: read, write, own (`core/roles.ts`).
 */
import type { Config } from '../config/index.ts';
import type { Database, MigrationSet } from '../database/types.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/log.ts';
import type { Service } from '../kernel/service.ts';
import { createWebFace } from '../kernel/web-face.ts';
import type { Keys } from '../keys/types.ts';
import type { Inbox } from '../mail/types.ts';
import type { OperatorRole } from './core/roles.ts';
import * as queries from './queries.ts';
import { type Call, createApi, parse } from './routes/api.ts';
import { homeRoutes } from './routes/home.ts';
import { inboxRoutes } from './routes/inbox.ts';
import * as schemas from './routes/schemas.ts';
import { tableRoutes } from './routes/tables.ts';
import { userRoutes } from './routes/users.ts';
import { createSessions } from './sessions.ts';

export type { OperatorRole } from './core/roles.ts';
export { roles } from './core/roles.ts';

export const migrations: MigrationSet = { room: 'console', dir: new URL('./sql/', import.meta.url) };

export interface ConsoleDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: Config;
  readonly inbox: Inbox;
  readonly apiUrl: () => string;
  /** Health of every service: undefined, or a sentence that says what is wrong. */
  readonly health: () => Record<string, string | undefined>;
  /** A request to one of our own services in this process, for example /auth/v1/admin/users. */
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  /** Where the built web app lies (dist/web). */
  readonly webDir: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export interface ConsoleService extends Service {
  /** A fresh one-time link, good for ten minutes; the operator `owner` unless named. */
  issueLink(operatorName?: string): Promise<string>;
  listOperators(): Promise<
    { name: string; role: OperatorRole; created_at: string; last_sign_in_at: string | null }[]
  >;
  /** False when there is one of that name already. */
  createOperator(name: string, role: OperatorRole): Promise<boolean>;
}

export function createConsole(deps: ConsoleDeps): ConsoleService {
  const { database, log } = deps;
  const db = database.pool('supabase_admin');
  const sessions = createSessions(db);
  const face = createWebFace(`${deps.webDir}/console`);
  const audit = (call: Call, action: string, detail: object): Promise<void> =>
    queries.insertAudit(db, { operator: call.operator, action, detail, requestId: call.request.id });

  return {
    name: 'console',
    mounts: [
      {
        prefix: '/console',
        cors: 'none',
        apiKeys: false,
        plugin: async (app) => {
          await app.register(
            async (scope) => {
              const api = createApi(scope, sessions, log);
              scope.post('/sign-in', async (request, reply) => {
                const operator = await sessions.signIn(
                  parse(schemas.signIn, request.body).token,
                  request,
                  reply,
                );
                return reply.send({ operator });
              });
              api.route('GET', '/session', 'read', async ({ operator }) => ({ operator }));
              api.route('POST', '/sign-out', 'read', async ({ request, reply }) =>
                sessions.signOut(request, reply),
              );
              homeRoutes(api, deps);
              tableRoutes(api, database, audit);
              userRoutes(api, deps, audit);
              inboxRoutes(api, deps.inbox);
            },
            { prefix: '/api' },
          );
          app.get<{ Params: { name: string } }>('/assets/:name', (request, reply) =>
            face.sendAsset(request, reply, request.params.name),
          );
          // The page itself knows its routes; each of its addresses gets the same HTML.
          app.get('/*', (request, reply) => {
            const html = face.html('index.html');
            if (html === undefined) {
              return reply
                .code(503)
                .type('text/plain; charset=utf-8')
                .send('The web app has not been built. Run: npm run build\n');
            }
            return face.sendPage(request, reply, { html });
          });
        },
      },
    ],
    issueLink: async (operatorName) =>
      `${deps.apiUrl()}/console/sign-in#token=${await sessions.issueLinkToken(operatorName)}`,
    listOperators: () => queries.listOperators(db),
    createOperator: async (name, role) => (await queries.createOperator(db, name, role)) !== undefined,
  };
}
