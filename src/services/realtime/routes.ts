/** The HTTP API, which sends broadcasts (one or several per POST request) and responds to pings. */
import { errorCodes, type FastifyPluginAsync, type FastifyReply, type FastifyRequest } from 'fastify';
import { isRecord } from '../../base/shared/json.ts';
import type { Broadcast } from './core/frame.ts';
import { isTooDeep } from './core/raw-json.ts';
import { type Caller, checkToken, cleanToken, clientOf } from './core/token.ts';
import { ChannelError } from './errors.ts';
import { maxFrameBytes } from './settings.ts';
import type { SocketContext } from './socket/context.ts';

const unauthorized = { message: 'Unauthorized' };
const unsupported = { error: 'Unsupported Media Type. Use application/json or application/octet-stream' };
const tooLarge = { errors: { payload: ['Payload size exceeds tenant limit'] } };

export function createRoutes(ctx: SocketContext, closeSockets: () => Promise<void>): FastifyPluginAsync {
  const { keys, clock, uptime, events, hub, permissions, log } = ctx;

  const callerOf = (request: FastifyRequest): Caller | undefined => {
    const { authorization, apikey } = request.headers;
    const [scheme, given] = authorization?.split(' ') ?? [];
    const token =
      scheme?.toLowerCase() === 'bearer' ? given : typeof apikey === 'string' ? apikey : undefined;
    if (!token) return undefined;
    const result = checkToken(keys.verify(cleanToken(token)), clock.now());
    return result.ok ? result.caller : undefined;
  };

  /**
   * Sets the response headers that report the rate. Returns the error body if the rate exceeds the limit, and otherwise
   * undefined.
   */
  const overRate = (reply: FastifyReply, count: number): { message: string } | undefined => {
    const { maxEventsPerSecond } = ctx.limits;
    if (maxEventsPerSecond === Number.POSITIVE_INFINITY) return undefined;
    const rate = events.perSecond(uptime());
    const rolling = Math.trunc(rate);
    reply.headers({
      'x-rate-rolling': String(rolling),
      'x-rate-limit': String(maxEventsPerSecond),
      'x-rate-limit-remaining': String(maxEventsPerSecond - rolling),
    });
    if (rate >= maxEventsPerSecond) return { message: 'You have exceeded your rate limit' };
    if (count + rate > maxEventsPerSecond) {
      return { message: 'Too many messages to broadcast, please reduce the batch size' };
    }
    events.add(uptime(), count);
    return undefined;
  };

  const mayWrite = async (request: FastifyRequest, caller: Caller, subTopic: string): Promise<boolean> => {
    const client = clientOf(caller, request.ip);
    const query = { subTopic, caller, headersJson: JSON.stringify(request.headers), client };
    return (await permissions.write(query, ['broadcast'])).has('broadcast');
  };

  return async (app) => {
    // WebSockets that stay open would prevent the server from closing.
    app.addHook('preClose', () => closeSockets());
    app.removeAllContentTypeParsers();
    app.addContentTypeParser(
      '*',
      { parseAs: 'buffer', bodyLimit: maxFrameBytes * 2 },
      (_request, body, done) => {
        if (body.length > ctx.limits.maxPayloadBytes * 2) done(new errorCodes.FST_ERR_CTP_BODY_TOO_LARGE());
        else done(null, body);
      },
    );

    app.get('/api/ping', async () => ({ message: 'Success' }));

    app.post('/api/broadcast', async (request, reply) => {
      const caller = callerOf(request);
      if (caller === undefined) return reply.code(401).send(unauthorized);
      const parsed = parseBatch(json(request.body), ctx.limits.maxPayloadBytes);
      if (!parsed.ok) return reply.code(422).send({ errors: parsed.errors });
      const rejection = overRate(reply, parsed.messages.length);
      if (rejection !== undefined) return reply.code(429).send(rejection);
      const allowed = new Map<string, boolean>();
      for (const message of parsed.messages) {
        if (message.private && !(await isAllowed(request, caller, message.topic, allowed))) continue;
        hub.publish(message.topic, message.private, textBroadcast(message));
      }
      return reply.code(202).send();
    });

    app.post<{ Params: { topic: string; event: string }; Querystring: { private?: string } }>(
      '/api/broadcast/:topic/events/:event',
      async (request, reply) => {
        const caller = callerOf(request);
        if (caller === undefined) return reply.code(401).send(unauthorized);
        const type = mediaType(request);
        if (type !== 'application/json' && type !== 'application/octet-stream')
          return reply.code(415).send(unsupported);
        const data = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
        const encoding = type === 'application/json' ? 'json' : 'binary';
        if (encoding === 'json' && json(data) === undefined) {
          return reply.code(422).send({ errors: { payload: ["can't be blank"] } });
        }
        if (data.length > ctx.limits.maxPayloadBytes) return reply.code(422).send(tooLarge);
        const rejection = overRate(reply, 1);
        if (rejection !== undefined) return reply.code(429).send(rejection);
        const { topic, event } = request.params;
        const isPrivate = request.query.private === 'true';
        try {
          if (isPrivate && !(await mayWrite(request, caller, topic)))
            return reply.code(403).send(unauthorized);
        } catch (error) {
          const message =
            error instanceof ChannelError ? privateFailure(error) : 'Unable to authorize broadcast';
          return reply.code(error instanceof ChannelError ? 422 : 500).send({ message });
        }
        hub.publish(topic, isPrivate, { form: 'user', event, encoding, data });
        return reply.code(202).send();
      },
    );
  };

  async function isAllowed(
    request: FastifyRequest,
    caller: Caller,
    subTopic: string,
    known: Map<string, boolean>,
  ): Promise<boolean> {
    let answer = known.get(subTopic);
    if (answer === undefined) {
      answer = await mayWrite(request, caller, subTopic).catch((error: unknown) => {
        // The message is skipped without an error, as if the policies had denied the sender permission.
        log.debug({ topic: subTopic, error }, 'failed to authorize a private broadcast');
        return false;
      });
      known.set(subTopic, answer);
    }
    return answer;
  }
}

function textBroadcast({ payload, event, id }: BatchMessage): Broadcast {
  const meta = id === undefined ? {} : { meta: { id } };
  const payloadJson = JSON.stringify({ payload, event, type: 'broadcast', ...meta });
  return id === undefined ? { form: 'text', payloadJson } : { form: 'text', payloadJson, id };
}

function privateFailure(error: ChannelError): string {
  return error.reason.startsWith('Unauthorized') ? 'RLS policy error' : 'Tenant database unavailable';
}

/** Without a content type, the body is treated as JSON. */
function mediaType({ headers }: FastifyRequest): string {
  return (headers['content-type'] ?? 'application/json').split(';', 1)[0]?.trim().toLowerCase() ?? '';
}

/** Returns undefined if the body isn't JSON or is nested too deeply. */
function json(body: unknown): unknown {
  if (!Buffer.isBuffer(body)) return undefined;
  const text = body.toString('utf8');
  if (isTooDeep(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface BatchMessage {
  readonly topic: string;
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly private: boolean;
  readonly id: string | undefined;
}

type Faults = Record<string, string[]>;
type ParsedBatch =
  | { readonly ok: true; readonly messages: readonly BatchMessage[] }
  | { readonly ok: false; readonly errors: Readonly<Record<string, unknown>> };

const blank = "can't be blank";
const invalid = 'is invalid';

function parseBatch(body: unknown, maxPayloadBytes: number): ParsedBatch {
  const list = isRecord(body) ? body.messages : undefined;
  if (list === undefined || list === null) return { ok: false, errors: { messages: [blank] } };
  if (!Array.isArray(list)) return { ok: false, errors: { messages: [invalid] } };
  const messages: BatchMessage[] = [];
  const faults: Faults[] = [];
  for (const entry of list) {
    const fault: Faults = {};
    const message = isRecord(entry) ? entry : {};
    for (const name of ['topic', 'event'] as const) {
      const value = message[name];
      if (value === undefined || value === null || value === '') fault[name] = [blank];
      else if (typeof value !== 'string') fault[name] = [invalid];
    }
    if (message.payload === undefined || message.payload === null) fault.payload = [blank];
    else if (!isRecord(message.payload)) fault.payload = [invalid];
    else if (Buffer.byteLength(JSON.stringify(message.payload)) > maxPayloadBytes) {
      fault.payload = ['Payload size exceeds tenant limit'];
    }
    faults.push(fault);
    messages.push({
      topic: message.topic as string,
      event: message.event as string,
      payload: message.payload as Record<string, unknown>,
      private: message.private === true || message.private === 'true',
      id: typeof message.id === 'string' ? message.id : undefined,
    });
  }
  if (faults.some((fault) => Object.keys(fault).length > 0))
    return { ok: false, errors: { messages: faults } };
  return { ok: true, messages };
}
