/** The routes that run a logged request again, and make a test of it. */
import type { Clock } from '../../../base/kernel/clock.ts';
import { OutsideFolders } from '../../../base/kernel/real-path.ts';
import type { LiveConfig } from '../../../platform/config/index.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { Audit } from '../audit.ts';
import type { ConsoleProject } from '../deps.ts';
import { ConsoleError, outsideFolders } from '../errors.ts';
import { createRedact, redactAll } from '../functions/redact.ts';
import type { NodeLogs } from '../nodes/logs.ts';
import { createAuthorization } from '../persona/authorization.ts';
import type { Api, Call } from '../routes/api.ts';
import type { ReplayInput, TestInput } from './contract.ts';
import type { ReplayServices } from './run.ts';

export interface ReplayDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly config: LiveConfig;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly logs: Pick<NodeLogs, 'trace'>;
  readonly services: ReplayServices;
  readonly writeTest: ConsoleProject['writeTest'];
}

/** The maximum number of requests that are replayed concurrently, because the app's requests use the same connections. */
const maxAtOnce = 2;

export function replayRoutes(api: Api, deps: ReplayDeps): void {
  const { database, keys, config, clock, audit, logs, services, writeTest } = deps;
  const db = database.pool('postgres');
  const route = api.feature(() => import('./contract.ts'));
  const authorizationOf = createAuthorization({ db, keys, clock });
  const redact = createRedact(keys);
  let running = 0;

  async function run(call: Pick<Call, 'operator' | 'request'>, input: ReplayInput) {
    const [{ admit, effectsIn, replay }, { identify }, { parsePersona }] = await Promise.all([
      import('./run.ts'),
      import('../persona/act.ts'),
      import('../persona/persona.ts'),
    ]);
    const { method, path, as, acceptsEffects, requestId } = input;
    const admitted = admit(input, call.operator.role, config.current.api.schemas);
    const { target, access } = admitted;
    if (access === 'read write' && !acceptsEffects) {
      const effects = await effectsIn(db);
      if (effects.length > 0)
        throw new ConsoleError('confirm', {
          message: `Functions of ${effects.join(', ')} have effects that a rollback doesn't undo. Confirm that the request may run.`,
        });
    }
    const persona = parsePersona(as);
    const identity =
      persona.kind === 'operator'
        ? { role: 'service_role', name: 'service_role' }
        : await identify(db, persona, clock.now(), call.operator.role);
    const authorization = await authorizationOf(call, as);
    if (running >= maxAtOnce) throw new ConsoleError('busy', { waitSeconds: 1 });
    running++;
    try {
      await audit(call, 'request.replay', path.split('?', 1)[0] ?? '', {
        method,
        as: persona.kind,
        access,
        ...(requestId === undefined ? {} : { requestId }),
      });
      const response = await replay(services, input, admitted, authorization);
      return { response, target, access, schema: admitted.schema, role: identity.role, name: identity.name };
    } finally {
      running--;
    }
  }

  route('GET /replays', 'read', async () => ({
    effects: await (await import('./run.ts')).effectsIn(db),
    writesTests: writeTest !== undefined,
  }));
  route('GET /replays/:id', 'read', async ({ params, operator }) => {
    const { readLogged } = await import('./logged-request.ts');
    const entries = redactAll(await logs.trace(params.id), redact);
    return await readLogged(db, entries, { id: params.id, nowMs: clock.now(), role: operator.role });
  });
  route(
    'POST /replays',
    'read',
    async (call) => {
      const { earlier, ...input } = await call.body();
      const { response, access, role, name } = await run(call, input);
      const [{ rowsOf }, { compareBodies }] = await Promise.all([
        import('./core/rows.ts'),
        import('./core/compare.ts'),
      ]);
      const { status, text, isCut, isTimedOut, durationMs } = response;
      const headers = response.headers.map(([header, value]) => [header.toLowerCase(), value] as const);
      const range = headers.find(([header]) => header === 'content-range')?.[1];
      return {
        ...{ status, durationMs, isCut, isTimedOut, role, name, access, headers },
        rows: rowsOf(response, range),
        body: text,
        diff: earlier === undefined ? null : compareBodies(earlier, text),
      };
    },
    { changes: 'nothing' },
  );

  async function generate(call: Pick<Call, 'operator' | 'request'>, input: TestInput) {
    const { response, target, schema, name: persona } = await run(call, input);
    const [{ testName, testText }, { meets }] = await Promise.all([
      import('./core/test-file.ts'),
      import('./core/meets.ts'),
    ]);
    const { method, path: url, expects } = input;
    return {
      name: `${testName({ method, target })}_test.sql`,
      text: testText({ method, url, target, schema, persona, response, expects }),
      passes: meets(response, expects),
    };
  }

  route('POST /replays/test', 'read', async (call) => generate(call, await call.body()), {
    changes: 'nothing',
  });
  route('POST /replays/test/file', 'write', async (call) => {
    if (writeTest === undefined)
      throw new ConsoleError('refused', { message: 'In production, tests are not written to the project.' });
    const { name, text } = await generate(call, await call.body());
    const path = await writeTest(name, text).catch((error: unknown) => {
      throw error instanceof OutsideFolders ? outsideFolders(error) : error;
    });
    await audit(call, 'test.create', path);
    return { path };
  });
}
