/** Authenticates MCP clients, which have an operator's access token or the token of a grant that an operator approved. */
import type { FastifyRequest } from 'fastify';
import { type Caller, ManagementError } from '../management/handlers.ts';
import { type Access, authenticate, rejectToken } from '../tokens/authenticate.ts';
import { type Grants, isAgentToken } from './oauth/grants.ts';

export interface Connection {
  readonly caller: Caller;
  /** Whether the session can make changes if the client asks for it. */
  readonly mayWrite: boolean;
  /** Whether the session can make changes even if the client doesn't ask for it. */
  readonly allowsChanges: boolean;
}

/** Returns the client's connection. @throws {ManagementError} 401, 403 or 429 */
export async function authenticateAgent(
  request: FastifyRequest,
  access: Access & { readonly grants: Pick<Grants, 'find'> },
): Promise<Connection> {
  const token = /^bearer +(\S+) *$/i.exec(request.headers.authorization ?? '')?.[1] ?? '';
  if (!isAgentToken(token))
    return { caller: await authenticate(request, access), mayWrite: true, allowsChanges: false };
  if (request.headers.origin !== undefined)
    throw new ManagementError(403, 'This API rejects requests from web pages.');
  const found = await access.grants.find(token);
  if (found === undefined) throw rejectToken(request, access);
  const { id, name, role, client_name, is_read_only } = found;
  if (request.trace !== undefined) request.trace.operator = name;
  const caller = { operator: { id, name, role }, request, client: client_name };
  return { caller, mayWrite: !is_read_only, allowsChanges: !is_read_only };
}
