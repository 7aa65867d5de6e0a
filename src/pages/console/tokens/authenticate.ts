/** Authenticates the requests of programs, which have an operator's access token instead of a session cookie. */
import type { FastifyRequest } from 'fastify';
import { bearerToken } from '../../../base/shared/access-token.ts';
import type { Attempts } from '../core/attempts.ts';
import { type Caller, ManagementError } from '../management/handlers.ts';
import type { Tokens } from './tokens.ts';

export interface Access {
  readonly tokens: Pick<Tokens, 'find'>;
  /** Counts requests with invalid access tokens. */
  readonly attempts: Attempts;
}

/** Returns the operator to whom the request's access token belongs. @throws {ManagementError} 401, 403 or 429 */
export async function authenticate(request: FastifyRequest, { tokens, attempts }: Access): Promise<Caller> {
  // Requests with this header come from web pages, and even the Console's own pages don't use this API.
  if (request.headers.origin !== undefined)
    throw new ManagementError(403, 'This API rejects requests from web pages.');
  const token = bearerToken(request.headers.authorization);
  if (token === undefined) throw new ManagementError(401, 'Unauthorized');
  // Valid tokens are accepted even if others have sent invalid ones from the same address, for example behind the same
  // NAT. Access tokens are too long to guess, so the limit only keeps mistakes and scanners from going unnoticed.
  const found = await tokens.find(token);
  if (found === undefined) throw rejectToken(request, { attempts });
  if (found.is_expired)
    throw new ManagementError(
      401,
      'The access token has expired. Create a new one on the server with "plinth operators token create".',
    );
  const { id, name, role, token_name } = found;
  if (request.trace !== undefined) request.trace.operator = name;
  return { operator: { id, name, role }, request, token: token_name };
}

/** Counts a request with an invalid token, and returns the error. */
export function rejectToken(
  request: FastifyRequest,
  { attempts }: Pick<Access, 'attempts'>,
): ManagementError {
  const waitSeconds = attempts.reserve(request.ip, performance.now());
  return waitSeconds > 0
    ? new ManagementError(429, 'Too many requests with invalid access tokens. Try again in a minute.', {
        waitSeconds,
      })
    : new ManagementError(401, 'Unauthorized');
}
