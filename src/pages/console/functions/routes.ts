/** Lists functions, reads their logs, and invokes them as a persona. */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/kernel/clock.ts';
import { setGatewayHeaders } from '../../../base/kernel/http.ts';
import { OutsideFolders } from '../../../base/kernel/real-path.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { GroupView } from '../../../platform/group/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { FunctionFacts, FunctionLogLine, FunctionsService } from '../../../services/functions/index.ts';
import type { Audit } from '../audit.ts';
import { ConsoleError, outsideFolders } from '../errors.ts';
import { createEventStreams } from '../event-stream.ts';
import type { LineFilter, NodeFunctions, NodeLogLine } from '../nodes/functions.ts';
import { questions } from '../nodes/questions.ts';
import { followOthers } from '../nodes/tails.ts';
import { identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { mintToken } from '../persona/token.ts';
import { type Api, type Call, fresh, type RouteCall } from '../routes/api.ts';
import type { contract } from './contract.ts';
import { invoke, invokeLimits } from './invoke.ts';
import { createRedact } from './redact.ts';
import { type SourceDeps, sourceRoutes } from './source-routes.ts';

/** The methods of the functions service that the Console uses. */
export type FunctionsView = Pick<
  FunctionsService,
  | 'list'
  | 'describe'
  | 'logs'
  | 'invocations'
  | 'activity'
  | 'files'
  | 'readFile'
  | 'secrets'
  | 'deployments'
  | 'syntaxFault'
>;

interface FunctionsDeps {
  readonly database: Database;
  readonly functions: FunctionsView;
  readonly view: GroupView;
  /** The activity and the logs of functions on all nodes. */
  readonly onNodes: NodeFunctions;
  readonly keys: Keys;
  /** Sends a request to a service in this process and streams the response. */
  readonly stream: (path: string, init: RequestInit) => Promise<Response>;
  /** Creates the function's folder in the project and returns its path. */
  readonly createFunction: (name: string) => string;
  readonly folder: SourceDeps['folder'];
  readonly change: SourceDeps['change'];
  readonly clock: Clock;
  readonly audit: Audit;
}

const tokenSeconds = 5 * 60;

export function functionRoutes(app: FastifyInstance, api: Api, deps: FunctionsDeps): void {
  const { database, functions, view, onNodes, keys, clock, audit } = deps;
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  const redact = createRedact(keys);
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());
  sourceRoutes(api, { functions, onNodes, folder: deps.folder, change: deps.change, redact, audit });

  const factsOf = ({ request }: Call): FunctionFacts => {
    const facts = functions.describe((request.params as { slug: string }).slug);
    if (facts === undefined) throw new ConsoleError('not_found', { message: "This function doesn't exist." });
    return facts;
  };

  /** Returns the headers that a client would send for this persona. */
  async function identityHeaders(
    { operator }: Call,
    as: string | undefined,
  ): Promise<Record<string, string>> {
    const persona = parsePersona(as);
    if (persona.kind === 'operator')
      return { authorization: `Bearer ${keys.temporaryToken('service_role', tokenSeconds)}` };
    const apikey = keys.publishableKey;
    if (persona.kind === 'anon') return { apikey, authorization: `Bearer ${keys.anonKey}` };
    const identity = await identify(db, persona, clock.now(), operator.role);
    const { token } = await mintToken(db, keys, identity, {
      nowMs: clock.now(),
      lifetimeSeconds: tokenSeconds,
    });
    return { apikey, authorization: `Bearer ${token}` };
  }

  route('GET /functions', 'read', async () => ({
    functions: functions
      .list()
      .map((slug) => functions.describe(slug))
      .filter((facts) => facts !== undefined),
  }));
  route('POST /functions', fresh('write'), async (call) => {
    const { name } = await call.body();
    // Functions that were deployed aren't in the project folder.
    if (functions.describe(name) !== undefined) throw alreadyExists();
    const path = created(() => deps.createFunction(name));
    await audit(call, 'function.create', name, { path });
    return { path };
  });
  route('GET /functions/:slug', 'read', async (call) => factsOf(call));
  route('POST /functions/:slug/invoke', 'write', async (call) => {
    const { slug } = factsOf(call);
    const { as, ...invocation } = await call.body();
    const identity = await identityHeaders(call, as);
    await audit(call, 'function.invoke', slug, {
      method: invocation.method,
      path: invocation.path,
      as: parsePersona(as).kind,
    });
    const response = await invoke(deps.stream, { ...invocation, slug, identity }, invokeLimits, () =>
      performance.now(),
    );
    return {
      ...response,
      headers: response.headers.map(([name, value]) => [name, redact(value)] as const),
      body: redact(response.body),
    };
  });
  route('GET /functions/:slug/invocations', 'read', async (call) => {
    const { slug } = factsOf(call);
    const { limit } = await call.query();
    const { invocations, nodes } = await onNodes.invocations(slug, limit);
    return { invocations: invocations.map((each) => ({ ...each, path: redact(each.path) })), nodes };
  });

  /**
   * Returns the filter in a request, and a function that masks the secrets in a log line. For lines that don't match
   * the search, the function returns undefined.
   */
  async function requested(
    call: Pick<RouteCall<string, (typeof contract)['GET /functions/:slug/logs']>, 'query' | keyof Call>,
  ) {
    const { slug } = factsOf(call);
    const { after, search, level, requestId } = await call.query();
    const part = search?.toLowerCase();
    const show = (line: NodeLogLine): NodeLogLine | undefined => {
      // Searches the text after masking. Searching the unmasked text would let an operator discover a secret one
      // character at a time.
      const text = redact(line.line);
      return part === undefined || text.toLowerCase().includes(part) ? { ...line, line: text } : undefined;
    };
    return { filter: { function: slug, level, requestId }, after, show };
  }
  /** Returns the lines of all nodes, oldest first. `after` is a line of this node. */
  async function linesOf(filter: LineFilter, after: number, othersSince = 0): Promise<NodeLogLine[]> {
    const [ownName, others] = await Promise.all([onNodes.ownName(), onNodes.otherLines(filter)]);
    const own = functions.logs.recent(filter, after).map((line) => named(line, ownName));
    return [...own, ...others.filter(({ at }) => at > othersSince)].sort((left, right) => left.at - right.at);
  }
  route('GET /functions/:slug/logs', 'read', async (call) => {
    const { filter, after, show } = await requested(call);
    const lines = await linesOf(filter, after);
    return { lines: lines.map(show).filter((line) => line !== undefined) };
  });
  route('GET /functions/:slug/logs/live', 'read', async (call) => {
    const { filter, after, show } = await requested(call);
    // A reconnecting browser sends the ID of the last event that it received (HTML standard, section 9.2.4).
    const [, lastId = after, othersSince = 0] =
      /^(\d+)(?:@(\d+))?$/.exec(String(call.request.headers['last-event-id'])) ?? [];
    const ownName = await onNodes.ownName();
    const before = await linesOf(filter, Number(lastId), Number(othersSince));
    setGatewayHeaders(call.reply);
    streams.open(
      call.reply.raw,
      (send) => {
        let ownId = Number(lastId);
        const tell = (line: NodeLogLine, isOwn: boolean): void => {
          if (isOwn && line.id <= ownId) return;
          if (isOwn) ownId = line.id;
          const shown = show(line);
          if (shown !== undefined)
            send(JSON.stringify(shown), ownName === undefined ? `${ownId}` : `${ownId}@${line.at}`);
        };
        const isOwn = ({ node }: NodeLogLine): boolean => node === ownName;
        for (const line of before) tell(line, isOwn(line));
        for (const line of functions.logs.recent(filter, ownId)) tell(named(line, ownName), true);
        const unfollow = functions.logs.follow(filter, (line) => tell(named(line, ownName), true));
        const unfollowOthers = followOthers<FunctionLogLine>(view, {
          question: questions.functionTail,
          filter,
          only: undefined,
          onEntry: (line, node) => tell({ ...line, node: node.name }, false),
        });
        return () => {
          unfollow();
          unfollowOthers();
        };
      },
      call.authorize,
    );
    return call.reply.hijack();
  });
}

const named = (line: FunctionLogLine, node: string | undefined): NodeLogLine =>
  node === undefined ? line : { ...line, node };

const alreadyExists = (): ConsoleError =>
  new ConsoleError('bad_request', {
    message: 'A function with this name already exists. Enter another name.',
  });

/**
 * Creates the function. Returns its path.
 * @throws {ConsoleError} refused if the project folder is read-only, bad_request if the error has another cause
 */
function created(create: () => string): string {
  try {
    return create();
  } catch (error) {
    const { code, syscall, dir } = error as NodeJS.ErrnoException & { dir?: string };
    if (dir !== undefined) throw alreadyExists();
    if (error instanceof OutsideFolders) throw outsideFolders(error);
    if (syscall === undefined) throw error;
    const isReadOnly = code === 'EROFS' || code === 'EACCES' || code === 'EPERM';
    throw new ConsoleError(
      isReadOnly ? 'refused' : 'bad_request',
      {
        message: isReadOnly
          ? 'The project folder is read-only here, so the Console can’t create files in it.'
          : `The function couldn’t be created (${code}).`,
        ...(isReadOnly ? { hint: 'Create the function where you edit the project, and deploy it.' } : {}),
      },
      { cause: error },
    );
  }
}
