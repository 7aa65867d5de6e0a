/** Defines the request that routes receive. Such a request consists of the caller, the path, the query and the body. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { splitOnce } from '../../../base/shared/http/split-once.ts';
import { matchLanguage } from '../../../base/shared/languages.ts';
import type { Caller } from '../common/caller.ts';
import { parseFields, type ReadFields } from '../common/fields.ts';
import { chooseRedirect, isBelow } from '../common/redirects.ts';
import type { AuthContext } from '../context.ts';

export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly caller: Caller;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly params: Readonly<Record<string, string>>;
  /** The text of the request body, before parsing. */
  readonly text: string;
  readonly body: ReadFields;
  readonly hasBody: boolean;
}

export function exchangeOf(ctx: AuthContext, request: FastifyRequest, reply: FastifyReply): Exchange {
  const [path, search] = splitOnce(request.url, '?');
  const query = new URLSearchParams(search);
  const text = typeof request.body === 'string' ? request.body : '';
  return {
    request,
    reply,
    caller: callerOf(ctx, request, reply, { query, text }),
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
  { query, text }: { readonly query: URLSearchParams; readonly text: string },
): Caller {
  return {
    // The gateway determines the IP address, because any client can send X-Forwarded-For and only the gateway has the
    // list of trusted proxies.
    ip: request.ip,
    userAgent: header(request, 'user-agent') ?? '',
    host: request.host,
    accessToken: /^[Bb]earer (\S+)$/.exec(header(request, 'authorization') ?? '')?.[1],
    hasCredentials: Boolean(header(request, 'authorization')),
    audience: header(request, 'x-jwt-aud'),
    pageLanguage: pageLanguageAt(
      ctx,
      request,
      header(request, 'redirect_to') || query.get('redirect_to') || header(request, 'referer'),
    ),
    pageLanguageAt: (url) => pageLanguageAt(ctx, request, url),
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

/**
 * Returns the language of an Account page: either the page that sent the request, or the page that the links in emails
 * open. Returns undefined for an app's URLs.
 */
function pageLanguageAt(
  { settings }: AuthContext,
  request: FastifyRequest,
  target: string | null | undefined,
): string | undefined {
  if (!target || !settings.hasAccountPages || !isBelow(target, settings.accountUrl())) return undefined;
  const named = new URL(target).searchParams.get('lang');
  const accepted = header(request, 'accept-language');
  return matchLanguage([named], accepted, settings.languages) ?? settings.languages[0];
}

/** Returns a header's first value. */
export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value[0] : value;
}

function formValue(request: FastifyRequest, body: string, name: string): string | undefined {
  if (!header(request, 'content-type')?.startsWith('application/x-www-form-urlencoded')) return undefined;
  return new URLSearchParams(body).get(name) ?? undefined;
}
