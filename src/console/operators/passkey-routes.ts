/** An operator's own passkeys, and the proof by one of them. */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import { type Api, type Call, parseAs } from '../routes/api.ts';
import type { Sessions } from '../sessions.ts';
import type { Passkeys } from './passkeys.ts';

export function passkeyRoutes(
  api: Api,
  { passkeys, sessions }: { readonly passkeys: Passkeys; readonly sessions: Sessions },
  audit: Audit,
): void {
  const schemas = () => import('./schemas.ts');
  const own = { changes: 'own session' } as const;
  const beforeFactor = { ...own, beforeFactor: true } as const;

  api.route('GET', '/factor/passkeys', 'read', async ({ operator }) => ({
    passkeys: await passkeys.list(operator),
  }));
  api.route('POST', '/factor/passkeys/begin', 'read', ({ operator }) => passkeys.begin(operator), own);
  api.route(
    'POST',
    '/factor/passkeys',
    'read',
    async (call) => {
      const { name, answer } = await parseAs((await schemas()).newPasskey, call.request.body);
      await passkeys.add(call.operator, name, answer);
      await audit(call, 'passkey.add', name);
    },
    own,
  );
  api.route(
    'DELETE',
    '/factor/passkeys/:id',
    'read',
    async (call) => {
      const { id } = call.request.params as { id: string };
      await audit(call, 'passkey.remove', await passkeys.remove(call.operator, id));
    },
    own,
  );
  api.route('POST', '/factor/passkeys/ask', 'read', ({ operator }) => passkeys.ask(operator), beforeFactor);
  api.route(
    'POST',
    '/factor/passkeys/prove',
    'read',
    async (call: Call) => {
      const { answer } = await parseAs((await schemas()).passkeyProof, call.request.body);
      try {
        const name = await passkeys.prove(call.operator, answer);
        await audit(call, 'factor.prove', call.operator.name, { by: 'passkey', name });
      } catch (error) {
        if (error instanceof ConsoleError && error.code === 'key_refused')
          await audit(call, 'factor.refuse', call.operator.name, { by: 'passkey' });
        throw error;
      }
      return sessions.described({ ...call.operator, factor: 'proven' });
    },
    beforeFactor,
  );
}
