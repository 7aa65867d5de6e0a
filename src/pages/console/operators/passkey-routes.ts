/** The routes with which operators manage their own passkeys and use them as a second factor. */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, fresh } from '../routes/api.ts';
import type { Sessions } from '../sessions.ts';
import type { Passkeys } from './passkeys.ts';

export function passkeyRoutes(
  api: Api,
  {
    passkeys,
    sessions,
    audit,
  }: { readonly passkeys: Passkeys; readonly sessions: Sessions; readonly audit: Audit },
): void {
  const route = api.feature(() => import('./contract.ts'));
  const own = { changes: 'own session' } as const;
  const beforeFactor = { ...own, beforeFactor: true } as const;

  route('GET /factor/passkeys', 'read', async ({ operator }) => ({
    passkeys: await passkeys.list(operator),
  }));
  route('POST /factor/passkeys/begin', fresh('read'), async ({ operator }) => passkeys.begin(operator), own);
  route(
    'POST /factor/passkeys',
    fresh('read'),
    async (call) => {
      const { name, answer } = await call.body();
      await passkeys.add(call.operator, name, answer);
      await audit(call, 'passkey.add', name);
    },
    own,
  );
  route(
    'DELETE /factor/passkeys/:id',
    fresh('read'),
    async (call) => {
      const { id } = call.params;
      await audit(call, 'passkey.remove', await passkeys.remove(call.operator, id));
    },
    own,
  );
  route('POST /factor/passkeys/ask', 'read', ({ operator }) => passkeys.ask(operator), beforeFactor);
  route(
    'POST /factor/passkeys/prove',
    'read',
    async (call) => {
      const { answer } = await call.body();
      try {
        const name = await passkeys.prove(call.operator, answer);
        await audit(call, 'factor.prove', call.operator.name, { by: 'passkey', name });
      } catch (error) {
        if (error instanceof ConsoleError && error.code === 'key_refused')
          await audit(call, 'factor.refuse', call.operator.name, { by: 'passkey' });
        throw error;
      }
      return sessions.described({ ...call.operator, factor: 'proven', isFresh: true });
    },
    beforeFactor,
  );
}
