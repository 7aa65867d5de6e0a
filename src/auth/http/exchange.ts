/** One request, read once: who asks, from where, with what. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Claims } from '../../keys/types.ts';
import type { AuthContext } from '../context.ts';
import { type Fields, parseFields } from '../core/fields.ts';
import { chooseRedirect } from '../core/redirects.ts';

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  readonly ip: string;
  readonly userAgent: string;
  /** The body as it came. */
  readonly text: string;
  /** Throws `bad_json`. */
  body(): Fields;
  readonly hasBody: boolean;
  /** Where links should lead: what was asked for, if the redirect rule allows it, else the site URL. */
  redirectTo(): string;
}

export function exchangeOf(ctx: AuthContext, request: FastifyRequest, reply: FastifyReply): Exchange {
  const mark = request.url.indexOf('?');
  const path = mark < 0 ? request.url : request.url.slice(0, mark);
  const query = new URLSearchParams(mark < 0 ? '' : request.url.slice(mark + 1));
  const text = typeof request.body === 'string' ? request.body : '';
  return {
    request,
    reply,
    path,
    query,
    params: request.params as Record<string, string>,
    // The gateway knows which proxies are to be believed; anybody can send X-Forwarded-For.
    ip: request.ip,
    userAgent: header(request, 'user-agent') ?? '',
    text,
    body: () => parseFields(text),
    hasBody: text !== '',
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
  };
}

/** The first header value of this name. */
export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function formValue(request: FastifyRequest, body: string, name: string): string | undefined {
  if (!header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded')) return undefined;
  return new URLSearchParams(body).get(name) ?? undefined;
}

/** Users are looked up by address and audience: header, else the token's (not an admin's), else the default. */
export function audienceOf(ctx: AuthContext, exchange: Exchange, claims?: Claims): string {
  const wanted = header(exchange.request, 'x-jwt-aud');
  if (wanted) return wanted;
  const isAdmin = typeof claims?.role === 'string' && ctx.settings.adminRoles.includes(claims.role);
  return (claims && !isAdmin && firstAudience(claims)) || ctx.settings.audience;
}

export function firstAudience(claims: Claims): string | undefined {
  const first: unknown = Array.isArray(claims.aud) ? claims.aud[0] : claims.aud;
  return typeof first === 'string' ? first : undefined;
}
