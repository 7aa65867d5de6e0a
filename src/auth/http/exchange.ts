/** A request as routes read it: the caller, and the path, query and body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from '../caller.ts';
import type { AuthContext } from '../context.ts';
import { parseFields, type ReadFields } from '../core/fields.ts';
import { chooseRedirect } from '../core/redirects.ts';

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** The unparsed body. */
  readonly text: string;
  readonly body: ReadFields;
  readonly hasBody: boolean;
}

export function exchangeOf(ctx: AuthContext, request: FastifyRequest, reply: FastifyReply): Exchange {
  const mark = request.url.indexOf('?');
  const path = mark < 0 ? request.url : request.url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1));
  const text = typeof request.body === 'string' ? request.body : '';
  return {
    request,
    reply,
    caller: callerOf(ctx, request, reply, query, text),
    path,
    query,
    params: request.params as Record<string, string>,
    text,
    body: () => parseFields(text),
    hasBody: text !== '',
  };
}

function callerOf(
  ctx: AuthContext,
  request: FastifyRequest,
  reply: FastifyReply,
  query: URLSearchParams,
  text: string,
): Caller {
  return {
    // The gateway decides which proxies are trusted, because any client can send X-Forwarded-For.
    ip: request.ip,
    userAgent: header(request, 'user-agent') ?? '',
    accessToken: /^[Bb]earer (\S+)$/.exec(header(request, 'authorization') ?? '')?.[1],
    hasCredentials: Boolean(header(request, 'authorization')),
    audience: header(request, 'x-jwt-aud'),
    redirectTo: () =>
      chooseRedirect(
        ctx.settings.redirects,
        [
          header(request, 'redirect_to') ||
            query.get('redirect_to') ||
            formValue(request, text, 'redirect_to'),
          header(request, 'referer'),
        ],
        ctx.settings.accountUrl(),
      ),
    setHeader: (name, value) => {
      reply.header(name, value);
    },
  };
}

/** The first value of the header. */
export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function formValue(request: FastifyRequest, body: string, name: string): string | undefined {
  if (!header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded')) return undefined;
  return new URLSearchParams(body).get(name) ?? undefined;
}
