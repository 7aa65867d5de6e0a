import { isWithin, may } from '../core/roles.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, fresh } from '../routes/api.ts';
import { TokenError, type Tokens } from './tokens.ts';

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const daySeconds = 24 * 3600;

export function tokenRoutes(api: Api, tokens: Tokens): void {
  const route = api.feature(() => import('./contract.ts'));
  /**
   * Owners can see and revoke the tokens of all operators. Other operators can see and revoke only their own tokens.
   */
  const scopeOf = ({ operator }: Call): string | undefined =>
    may(operator.role, 'own') ? undefined : operator.id;

  route('GET /tokens', 'read', async (call) => ({
    tokens: (await tokens.list(scopeOf(call))).map((row) => ({
      id: row.id,
      name: row.name,
      operatorName: row.operator_name,
      role: row.role,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      lastUsedAt: row.last_used_at,
      isExpired: row.is_expired,
    })),
  }));
  // A token can outlive the session. With a developer's token, one can deploy a function that prints the secret key.
  route(
    'POST /tokens',
    fresh('read'),
    async (call) => {
      const { name, role, lifetimeDays } = await call.body();
      if (!isWithin(role, call.operator.role))
        throw new ConsoleError('forbidden', {
          message: `Your role doesn't allow a token with the role ${role}.`,
        });
      const lifetimeSeconds = lifetimeDays === null ? null : lifetimeDays * daySeconds;
      try {
        const { token, expiresAt } = await tokens.createFor(call, { name, role, lifetimeSeconds });
        return { token, expiresAt };
      } catch (error) {
        if (!(error instanceof TokenError)) throw error;
        throw new ConsoleError('taken', { message: error.message, column: 'name' });
      }
    },
    { changes: 'own session' },
  );
  route(
    'DELETE /tokens/:id',
    'read',
    async (call) => {
      const { id } = call.params;
      const isRevoked = uuid.test(id) && (await tokens.revokeOne(call, id, scopeOf(call)));
      if (!isRevoked) throw new ConsoleError('not_found', { message: 'This token was already revoked.' });
    },
    { changes: 'own session' },
  );
}
