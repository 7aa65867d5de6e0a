/**
 * The Management API's operations for single sign-on identity providers. The auth service validates and stores the
 * identity providers.
 */
import type { Audit } from '../audit.ts';
import { ConsoleError } from '../errors.ts';
import type { ServiceCall, ServiceClient } from '../service-client.ts';
import { type Caller, detailOf, type Handlers, ManagementError } from './handlers.ts';

export interface SsoDeps {
  readonly callService: ServiceClient;
  readonly isEnabled: () => boolean;
  readonly audit: Audit;
}

const providers = '/auth/v1/admin/sso/providers';
const missing = 'SSO Identity Provider not found';

export function ssoCalls({ callService, isEnabled, audit }: SsoDeps) {
  async function send(path: string, call?: ServiceCall): Promise<Record<string, unknown>> {
    if (!isEnabled())
      throw new ManagementError(
        404,
        'SAML 2.0 support is not enabled for this project. Set enabled = true in [auth.saml] in supabase/plinth.toml.',
      );
    try {
      return (await callService(path, { missing, ...call })).body;
    } catch (error) {
      if (error instanceof ConsoleError)
        throw new ManagementError(error.status, error.message, { cause: error });
      throw error;
    }
  }
  const record = (caller: Caller, action: string, { id, domains }: Record<string, unknown>): Promise<void> =>
    audit(caller, action, String(id), { domains, ...detailOf(caller) });

  return {
    listSsoProviders: ['read', () => send(providers)],
    getSsoProvider: ['read', ({ id }) => send(`${providers}/${id}`)],
    createSsoProvider: [
      'write',
      async ({ provider }, caller) => {
        const made = await send(providers, { method: 'POST', body: provider });
        await record(caller, 'sso.create', made);
        return made;
      },
    ],
    changeSsoProvider: [
      'write',
      async ({ id, changes }, caller) => {
        const changed = await send(`${providers}/${id}`, { method: 'PUT', body: changes });
        await record(caller, 'sso.change', changed);
        return changed;
      },
    ],
    removeSsoProvider: [
      'write',
      async ({ id }, caller) => {
        const removed = await send(`${providers}/${id}`, { method: 'DELETE' });
        await record(caller, 'sso.remove', removed);
        return removed;
      },
    ],
  } satisfies Partial<Handlers>;
}
