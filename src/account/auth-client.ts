/** Calls auth's public API in this process on behalf of a browser. */
import type { FastifyRequest } from 'fastify';
import { cameFrom } from './core/confirm.ts';
import { AuthRefusal } from './errors.ts';

export interface TokenPair {
  readonly access_token: string;
  readonly refresh_token: string;
  /** Seconds since the epoch. */
  readonly expires_at: number;
  readonly user: AuthUser;
}

export interface AuthUser {
  readonly id: string;
  readonly factors?: readonly {
    readonly id: string;
    readonly status: string;
    readonly factor_type: string;
  }[];
  readonly [field: string]: unknown;
}

/**
 * The caller that auth sees. Its address and browser appear in the session list and the audit log, and its requests
 * count toward limits.
 */
export type Caller = Pick<FastifyRequest, 'ip' | 'headers' | 'host'>;

export interface AuthClient {
  /** Returns the address that auth redirects to. */
  follow(caller: Caller, path: string): Promise<string>;
  /** Returns the parsed response. @throws {AuthRefusal} */
  call<Answer>(caller: Caller, request: AuthRequest): Promise<Answer>;
}

export interface AuthRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The path, relative to `/auth/v1`. */
  readonly path: string;
  readonly body?: unknown;
  readonly accessToken?: string;
  /** The page to which auth finally redirects the browser. Defaults to the page that sent the request. */
  readonly redirectTo?: string;
}

export function createAuthClient(deps: {
  readonly internalFetch: (path: string, init?: RequestInit) => Promise<Response>;
  readonly publishableKey: string;
  readonly accountUrl: () => string;
}): AuthClient {
  function headersOf({ ip, headers, host }: Caller): Record<string, string> {
    const { 'user-agent': userAgent, 'accept-language': language, referer } = headers;
    const from = cameFrom(referer, host, deps.accountUrl());
    return {
      apikey: deps.publishableKey,
      'x-forwarded-for': ip,
      ...(userAgent === undefined ? {} : { 'user-agent': userAgent }),
      ...(language === undefined ? {} : { 'accept-language': language }),
      // Links in emails lead back to our pages.
      ...(from === undefined ? {} : { redirect_to: from }),
    };
  }

  return {
    async follow(caller, path) {
      const { redirect_to: _, ...headers } = headersOf(caller);
      const response = await deps.internalFetch(`/auth/v1${path}`, { headers, redirect: 'manual' });
      const target = response.headers.get('location');
      if (target === null) throw new AuthRefusal(response.status, parse(await response.text()));
      return target;
    },
    async call<Answer>(
      caller: Caller,
      { method, path, body, accessToken, redirectTo }: AuthRequest,
    ): Promise<Answer> {
      const response = await deps.internalFetch(`/auth/v1${path}`, {
        method,
        headers: {
          ...headersOf(caller),
          ...(redirectTo === undefined ? {} : { redirect_to: redirectTo }),
          ...(accessToken === undefined ? {} : { authorization: `Bearer ${accessToken}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const value = parse(await response.text());
      if (!response.ok) throw new AuthRefusal(response.status, value);
      return value as Answer;
    },
  };
}

function parse(text: string): Record<string, unknown> {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
