/**
 * The routes with which the realtime page gets tokens (for joining a channel as a persona) and checks delivery. The
 * page connects to the realtime service like any other client.
 */
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../../../base/kernel/clock.ts';
import { setGatewayHeaders } from '../../../base/kernel/http.ts';
import type { Database } from '../../../platform/database/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type { BroadcastCheckInput, Persona, RealtimeService } from '../../../services/realtime/types.ts';
import type { Audit } from '../audit.ts';
import { may, permissionForRows } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { createEventStreams } from '../event-stream.ts';
import { createRedact } from '../functions/redact.ts';
import { type Identity, identify } from '../persona/act.ts';
import { parsePersona } from '../persona/persona.ts';
import { mintToken } from '../persona/token.ts';
import type { Api, Call } from '../routes/api.ts';
import type { Check, Checks } from './contract.ts';
import {
  publishedTables,
  type TableFacts,
  type TopicPermissions,
  tableFacts,
  topicPermissions,
} from './queries.ts';

interface RealtimeDeps {
  readonly database: Database;
  readonly keys: Keys;
  readonly apiUrl: () => string;
  readonly clock: Clock;
  readonly audit: Audit;
  readonly realtime: Pick<RealtimeService, 'deliveryChecks' | 'report' | 'tap'>;
}

const tokenSeconds = 10 * 60;

export function realtimeRoutes(
  app: FastifyInstance,
  api: Api,
  { database, keys, apiUrl, clock, audit, realtime }: RealtimeDeps,
): void {
  const db = database.pool('postgres');
  const { deliveryChecks } = realtime;
  const route = api.feature(() => import('./contract.ts'));

  /** The operator can't join channels, so the check uses an anonymous visitor instead. */
  const subscriberOf = ({ operator }: Call, as: string | undefined): Promise<Identity> => {
    const persona = parsePersona(as);
    return identify(db, persona.kind === 'operator' ? { kind: 'anon' } : persona, clock.now(), operator.role);
  };

  route('GET /realtime', 'read', async () => ({
    url: `${apiUrl()}/realtime/v1`,
    apikey: keys.publishableKey,
    tables: await publishedTables(db),
  }));
  route('GET /realtime/state', 'read', async () => realtime.report());
  const streams = createEventStreams();
  app.addHook('preClose', async () => streams.closeAll());
  const redact = createRedact(keys);
  let lastId = 0;
  route('GET /realtime/tap', 'write', async (call) => {
    const { topic, payloads } = await call.query();
    const { matchesTopic, shownMessage } = await import('./tap.ts');
    const withPayloads = payloads === '1';
    setGatewayHeaders(call.reply);
    await audit(call, 'realtime.tap', topic === '' ? '*' : topic, { payloads: withPayloads });
    streams.open(
      call.reply.raw,
      (send) =>
        realtime.tap((event) => {
          if (!matchesTopic(topic, event.topic)) return;
          lastId += 1;
          send(JSON.stringify(shownMessage(event, { id: lastId, at: clock.now(), withPayloads, redact })));
        }),
      call.authorize,
    );
    return call.reply.hijack();
  });
  // An anonymous visitor doesn't need a token, because the publishable key is sufficient.
  route('POST /realtime/token', 'write', async (call) => {
    const { as } = await call.body();
    const identity = await identify(db, parsePersona(as), clock.now(), call.operator.role);
    const token = await mintToken(db, keys, identity, { nowMs: clock.now(), lifetimeSeconds: tokenSeconds });
    await audit(call, 'realtime.join', identity.name, { role: identity.role });
    return token;
  });
  route('GET /realtime/checks', 'read', async (call): Promise<Checks> => {
    const { as, private: isPrivate, schema, table } = await call.query();
    const { role } = await subscriberOf(call, as);
    const topic = checkTopic(isPrivate === '1', await topicPermissions(db, role));
    if (schema === '') return { role, topic, table: [] };
    if (table === '' || table === '*') {
      const published = (await publishedTables(db)).filter(
        (each) => schema === '*' || each.schema === schema,
      );
      return {
        role,
        topic,
        table: published.length > 0 ? [] : [{ code: 'nothing-published', weight: 'stops' }],
      };
    }
    return { role, topic, table: checkTable(await tableFacts(db, { schema, table }, role)) };
  });
  route(
    'POST /realtime/verdict/change',
    'read',
    async (call) => {
      const { operator } = call;
      const requested = await call.body();
      const { as, schema, table, action, key, row, subscription } = requested;
      // The response contains the row, so the operator must be allowed to read rows of this table.
      if (!may(operator.role, permissionForRows(schema)))
        throw new ConsoleError('forbidden', { message: `Your role can't read rows of ${schema}.` });
      const identity = await subscriberOf(call, as);
      const result = await checkResult(
        deliveryChecks.checkChange({
          subscriber: personaOf(identity),
          entry: { ...subscription, table: subscription.table ?? table },
          change: { schema, table, action, key, row },
        }),
      );
      return { persona: identity.name, role: identity.role, ...result };
    },
    { changes: 'nothing' },
  );
  route(
    'POST /realtime/verdict/broadcast',
    'read',
    async (call) => {
      const { as, topic, private: isPrivate, version, message } = await call.body();
      const identity = await subscriberOf(call, as);
      const question: BroadcastCheckInput = {
        subscriber: personaOf(identity),
        topic,
        channel: { private: isPrivate, version },
        message:
          message.from === 'database'
            ? message
            : {
                ...message,
                sender:
                  message.sender === undefined
                    ? undefined
                    : personaOf(await subscriberOf(call, message.sender)),
              },
      };
      const result = await checkResult(deliveryChecks.checkBroadcast(question));
      return { persona: identity.name, role: identity.role, ...result };
    },
    { changes: 'nothing' },
  );
}

const personaOf = ({ role, claims }: Identity): Persona => ({ role, claims: claims ?? {} });

/** Runs a check. Converts an error about invalid input to a bad_request error with the same message. */
async function checkResult<T>(check: Promise<T>): Promise<T> {
  try {
    return await check;
  } catch (error) {
    if (error instanceof Error && error.name === 'DeliveryCheckError')
      throw new ConsoleError('bad_request', { message: error.message });
    throw error;
  }
}

/** Checks whether changes to a table are delivered. */
function checkTable(facts: TableFacts): Check[] {
  if (!facts.exists) return [{ code: 'table-missing', weight: 'stops' }];
  const checks: Check[] = [];
  if (!facts.published) checks.push({ code: 'not-published', weight: 'stops' });
  if (!facts.readable) checks.push({ code: 'no-grant', weight: 'stops' });
  if (!facts.rls) checks.push({ code: 'rls-off', weight: 'fine' });
  else if (facts.policies === 0) checks.push({ code: 'no-policy', weight: 'stops' });
  else checks.push({ code: 'policies-decide', weight: 'limits', policies: facts.policies });
  if (!facts.hasPrimaryKey) checks.push({ code: 'no-key', weight: 'limits' });
  return checks;
}

/** Checks whether broadcasts and presence are delivered. */
function checkTopic(isPrivate: boolean, { read, write }: TopicPermissions): Check[] {
  if (!isPrivate) return [{ code: 'public-channel', weight: 'fine' }];
  const checks: Check[] = [];
  if (read === 0) checks.push({ code: 'private-no-read', weight: 'stops' });
  if (write === 0) checks.push({ code: 'private-no-write', weight: 'limits' });
  if (read > 0) checks.push({ code: 'private-policies-decide', weight: 'limits', policies: read });
  return checks;
}
