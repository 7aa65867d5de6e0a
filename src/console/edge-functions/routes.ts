/** Functions: what there is, what they print, and a request to one in somebody's name. */
import type { FastifyInstance } from 'fastify';
import type { Database } from '../../database/types.ts';
import type { FunctionFacts, FunctionLogLine, FunctionsService } from '../../functions/index.ts';
import type { Clock } from '../../kernel/clock.ts';
import { setGatewayHeaders } from '../../kernel/gateway-headers.ts';
import type { Keys } from '../../keys/types.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { createEventStreams } from '../event-stream.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { mintToken } from '../persona/token.ts';
import { type Api, type Call, parse } from '../routes/api.ts';
import { invoke, invokeLimits } from './invoke.ts';
import { createRedact } from './redact.ts';

/** What the Console asks of the functions service. */
export type FunctionsView = Pick<FunctionsService, 'list' | 'describe' | 'logs' | 'invocations'>;

export interface FunctionsDeps {
  readonly database: Database;
  readonly functions: FunctionsView;
  readonly keys: Keys;
  /** A request in this process whose answer comes as it is made. */
  readonly internalStream: (path: string, init: RequestInit) => Promise<Response>;
  readonly clock: Clock;
  readonly audit: Audit;
}

const tokenSeconds = 5 * 60;

export function functionRoutes(app: FastifyInstance, api: Api, deps: FunctionsDeps): void {
  const { database, functions, keys, clock, audit } = deps;
  const db = database.pool('postgres');
  const redact = createRedact(keys);
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());

  const factsOf = ({ request }: Call): FunctionFacts => {
    const facts = functions.describe((request.params as { slug: string }).slug);
    if (facts === undefined) throw new ConsoleError('not_found', { message: 'There is no such function.' });
    return facts;
  };

  /** The headers that a client of this persona would send. */
  async function identityHeaders(
    { operator }: Call,
    as: string | undefined,
  ): Promise<Record<string, string>> {
    const persona = parsePersona(as);
    if (persona.kind === 'operator') return { authorization: `Bearer ${keys.serviceRoleKey}` };
    const apikey = keys.publishableKey;
    if (persona.kind === 'anon') return { apikey, authorization: `Bearer ${keys.anonKey}` };
    const identity = await identify(db, persona, clock.now(), operator.role);
    const { token } = await mintToken(db, (claims) => keys.sign(claims), identity, clock.now(), tokenSeconds);
    return { apikey, authorization: `Bearer ${token}` };
  }

  api.route('GET', '/functions', 'read', async () => ({
    functions: functions
      .list()
      .map((slug) => functions.describe(slug))
      .filter((facts) => facts !== undefined),
  }));
  api.route('GET', '/functions/:slug', 'read', async (call) => factsOf(call));
  api.route('POST', '/functions/:slug/invoke', 'write', async (call) => {
    const { slug } = factsOf(call);
    const { as, ...invocation } = await parse('invocation', call.request.body);
    const identity = await identityHeaders(call, as);
    await audit(call, 'function.invoke', slug, {
      method: invocation.method,
      path: invocation.path,
      as: parsePersona(as).kind,
    });
    const answer = await invoke(deps.internalStream, slug, invocation, identity, invokeLimits, () =>
      performance.now(),
    );
    return {
      ...answer,
      headers: answer.headers.map(([name, value]) => [name, redact(value)]),
      body: redact(answer.body),
    };
  });
  api.route('GET', '/functions/:slug/invocations', 'read', async (call) => {
    const { slug } = factsOf(call);
    const { limit } = await parse('functionInvocations', call.request.query);
    const invocations = functions.invocations.recent(slug, limit);
    return { invocations: invocations.map((each) => ({ ...each, path: redact(each.path) })) };
  });

  /** What the reader asked for, and a line as they may see it: undefined when it does not hold what they look for. */
  async function wanted(call: Call) {
    const { slug } = factsOf(call);
    const { after, search, level, requestId } = await parse('functionLogs', call.request.query);
    const part = search?.toLowerCase();
    const show = (line: FunctionLogLine): FunctionLogLine | undefined => {
      // Looked for in what is shown: a search must not find out a secret letter by letter.
      const text = redact(line.line);
      return part === undefined || text.toLowerCase().includes(part) ? { ...line, line: text } : undefined;
    };
    return { filter: { function: slug, level, requestId }, after, show };
  }
  api.route('GET', '/functions/:slug/logs', 'read', async (call) => {
    const { filter, after, show } = await wanted(call);
    const lines = functions.logs.recent(filter, after).map(show);
    return { lines: lines.filter((line) => line !== undefined) };
  });
  api.route('GET', '/functions/:slug/logs/live', 'read', async (call) => {
    const { filter, after, show } = await wanted(call);
    // A browser that comes back says which line it saw last (HTML standard, section 9.2.4).
    const lastSeen = Number(call.request.headers['last-event-id']);
    const since = Number.isSafeInteger(lastSeen) ? lastSeen : after;
    setGatewayHeaders(call.reply);
    streams.open(call.reply.raw, (send) => {
      const tell = (line: FunctionLogLine): void => {
        const shown = show(line);
        if (shown !== undefined) send(JSON.stringify(shown), line.id);
      };
      for (const line of functions.logs.recent(filter, since)) tell(line);
      return functions.logs.follow(filter, tell);
    });
    return call.reply.hijack();
  });
}
