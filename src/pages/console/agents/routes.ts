/** The Console's routes for AI agents that operators connect with OAuth. */
import { isLoopbackUri } from '../../../base/shared/http/registered-uri.ts';
import { isWithin, may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { issuerOf, type Site } from '../mcp/oauth/addresses.ts';
import type { ClientDocuments } from '../mcp/oauth/client-documents.ts';
import { destinationOf } from '../mcp/oauth/clients.ts';
import type { Grants } from '../mcp/oauth/grants.ts';
import { parseRequest, responseUrl } from '../mcp/oauth/requests.ts';
import { type Api, type Call, fresh } from '../routes/api.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const daySeconds = 24 * 3600;

export function agentRoutes(
  api: Api,
  {
    grants,
    site,
    documents,
  }: { readonly grants: Grants; readonly site: Site; readonly documents: ClientDocuments },
): void {
  const route = api.feature(() => import('./contract.ts'));
  /** Owners can see and disconnect the agents of all operators. Other operators only their own agents. */
  const scopeOf = ({ operator }: Call): string | undefined =>
    may(operator.role, 'own') ? undefined : operator.id;

  route('GET /agents', 'read', async (call) => ({
    agents: (await grants.list(scopeOf(call))).map((row) => ({
      id: row.id,
      name: row.client_name,
      destination: row.destination,
      operatorName: row.operator_name,
      role: row.role,
      isReadOnly: row.is_read_only || !may(row.role, 'write'),
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
    })),
  }));
  route(
    'DELETE /agents/:id',
    'read',
    async (call) => {
      const { id } = call.params;
      if (!(uuid.test(id) && (await grants.revoke(call, id, scopeOf(call)))))
        throw new ConsoleError('not_found', { message: 'This agent was already disconnected.' });
    },
    { changes: 'own session' },
  );
  route('GET /agents/request', 'read', async (call) => {
    const { headers } = call.request;
    const parsed = await parseRequest((await call.query()).request, { headers, site, documents });
    if ('fault' in parsed) return { agent: null, fault: parsed.fault, returnUrl: parsed.returnUrl ?? null };
    const { client, redirectUri, state, asksForChanges } = parsed.request;
    return {
      agent: {
        name: client.name,
        host: client.host ?? null,
        destination: destinationOf(redirectUri),
        isLocal: isLoopbackUri(redirectUri),
        asksForChanges,
      },
      fault: null,
      returnUrl: responseUrl(redirectUri, issuerOf(headers, site), state, {
        error: 'access_denied',
        error_description: 'The operator denied access.',
      }),
    };
  });
  // The agent's access outlives the session, as an access token does.
  route(
    'POST /agents/approve',
    fresh('read'),
    async (call) => {
      const { request, role, allowsChanges, lifetimeDays } = await call.body();
      const { headers } = call.request;
      const parsed = await parseRequest(request, { headers, site, documents });
      if ('fault' in parsed) throw new ConsoleError('bad_request', { message: parsed.fault });
      if (!isWithin(role, call.operator.role) || (allowsChanges && !may(role, 'write')))
        throw new ConsoleError('forbidden', {
          message: allowsChanges
            ? `Your role doesn't allow an agent that makes changes with the role ${role}.`
            : `Your role doesn't allow an agent with the role ${role}.`,
        });
      const code = await grants.approve(call, parsed.request, {
        role,
        isReadOnly: !allowsChanges,
        lifetimeSeconds: lifetimeDays * daySeconds,
      });
      const { redirectUri, state } = parsed.request;
      return { url: responseUrl(redirectUri, issuerOf(headers, site), state, { code }) };
    },
    { changes: 'own session' },
  );
}
