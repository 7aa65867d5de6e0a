/** What the holder of a setup link can do. The Account pages run it without a session. */
import type { Call, Operation } from '../../common/operation.ts';
import type { AuthContext } from '../../context.ts';
import { limitByAddress } from '../../limits/guards.ts';
import { type Actor, checkDomain, requireDomain } from '../domains/domains.ts';
import { createScimToken, revokeScimToken } from '../scim/tokens.ts';
import { activateConnection, draftConnection } from './manage.ts';
import { readOverview, type SsoOverview } from './overview.ts';
import { findConnectionOf, findLastResult } from './queries.ts';
import type { TypedSettings } from './settings.ts';
import { requireSetupLink, type SetupHolder } from './setup-links.ts';
import { startTest, type TestResult } from './test.ts';

export interface SetupState extends SsoOverview {
  readonly organization: string;
  readonly expires_at: string;
  /** The result of the last test with this link. */
  readonly test: TestResult | null;
}

export type SetupAction =
  | { readonly do: 'check'; readonly domainId: string }
  | { readonly do: 'save'; readonly settings: TypedSettings }
  | { readonly do: 'test' }
  | { readonly do: 'activate' }
  | { readonly do: 'create-token' }
  | { readonly do: 'revoke-token'; readonly tokenId: string };

export interface SetupOutcome {
  /** The URL at the identity provider that the browser opens. */
  readonly open?: string;
  /** A SCIM token, which is shown only once. */
  readonly token?: string;
  /** Whether the DNS contained the record. */
  readonly record?: 'found' | 'missing' | 'unknown';
}

export const readSetup: Operation<Call & { readonly token: string }, SetupState> = {
  on: 'GET /organizations/setup',
  guards: [limitByAddress('sso_policy')],
  async run(ctx, { token }) {
    const holder = await requireSetupLink(ctx, token);
    return stateOf(ctx, holder);
  },
};

export const changeSetup: Operation<
  Call & { readonly token: string; readonly action: SetupAction },
  SetupOutcome
> = {
  on: 'POST /organizations/setup',
  guards: [limitByAddress('user')],
  async run(ctx, { token, action }) {
    const holder = await requireSetupLink(ctx, token);
    return change(ctx, holder, action);
  },
};

async function stateOf(
  ctx: AuthContext,
  { linkId, organizationId, organization, expiresAt }: SetupHolder,
): Promise<SetupState> {
  const test = (await findLastResult<TestResult>(ctx.pool, linkId)) ?? null;
  return { ...(await readOverview(ctx, organizationId)), organization, expires_at: expiresAt, test };
}

async function change(
  ctx: AuthContext,
  { linkId, organizationId }: SetupHolder,
  action: SetupAction,
): Promise<SetupOutcome> {
  const by: Actor = { actor: 'setup' };
  switch (action.do) {
    case 'check': {
      const { result } = await checkDomain(
        ctx,
        await requireDomain(ctx, organizationId, action.domainId),
        by,
      );
      return { record: result };
    }
    case 'save':
      await draftConnection(ctx, organizationId, action.settings);
      return {};
    case 'test': {
      const connection = await findConnectionOf(ctx.pool, organizationId);
      const open = connection && (await startTest(ctx, connection, linkId));
      return open === undefined ? {} : { open };
    }
    case 'activate':
      await activateConnection(ctx, organizationId, by);
      return {};
    case 'create-token':
      return { token: await createScimToken(ctx, organizationId, by) };
    case 'revoke-token':
      await revokeScimToken(ctx, organizationId, action.tokenId, by);
      return {};
  }
}
