/**
 * Adds the claims `org_id` and `org_role` to access tokens, for the organization that the session has switched to.
 *
 * The project owns the function `org.token_claims` and can change it. Therefore it runs like a request to the REST
 * service: as the signed-in user with the role `authenticated`, in a read-only transaction on a separate connection, and
 * under a time limit. Only the two claims are taken from its result, and an error never prevents a sign-in (decision
 * 127).
 */
import { sql } from '../../../base/kernel/sql.ts';
import type { JsonObject } from '../common/json.ts';
import { isUuid } from '../common/uuid.ts';
import type { AuthContext } from '../context.ts';
import { runAsUser } from './as-user.ts';

const timeoutMs = 1000;
const maxRoleLength = 100;

/** Returns the claims, or no claims if the session hasn't switched to an organization or if the function failed. */
export async function organizationClaims(
  ctx: AuthContext,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
): Promise<JsonObject> {
  if (!ctx.settings.organizations.enabled) return {};
  const claims = { sub: userId, session_id: sessionId, role: 'authenticated' };
  try {
    const [rows] = await ctx.apiPool.statements(
      [sql`select org_id::text, org_role::text from org.token_claims() limit 1`],
      {
        readOnly: true,
        settings: [
          ['statement_timeout', String(timeoutMs)],
          ['role', 'authenticated'],
          ['request.jwt.claims', JSON.stringify(claims)],
        ],
      },
    );
    return claimsOf(rows?.[0]);
  } catch (error) {
    ctx.log.warn(
      { userId, error },
      'org.token_claims() failed, so an access token has no organization. If the project has no organizations, run "plinth organizations init"',
    );
    return {};
  }
}

/**
 * Switches a new session to the organization of the claims, so that the tokens that follow contain them too. An error
 * doesn't prevent the sign-in.
 */
export async function switchTo(
  ctx: AuthContext,
  { userId, sessionId }: { readonly userId: string; readonly sessionId: string },
  { org_id: id }: JsonObject,
): Promise<void> {
  if (typeof id !== 'string') return;
  const claims = { sub: userId, session_id: sessionId, role: 'authenticated' };
  try {
    await runAsUser(ctx, claims, (tx) =>
      tx.query(sql`select public.switch_organization(organization_id => ${id}::uuid)`),
    );
  } catch (error) {
    ctx.log.warn({ userId, error }, 'switch_organization failed, so a session has no organization');
  }
}

/** Checks the row, because the project can change the function. */
function claimsOf(row: object | undefined): JsonObject {
  const { org_id: id, org_role: role } = (row ?? {}) as { org_id?: unknown; org_role?: unknown };
  const isValid =
    typeof id === 'string' && isUuid(id) && typeof role === 'string' && role.length <= maxRoleLength;
  return isValid ? { org_id: id, org_role: role } : {};
}
