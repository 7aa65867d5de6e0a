/** Statements on auth.flow_state, which stores pending sign-ins with PKCE or through a provider. */
import { randomUUID } from 'node:crypto';
import { sql } from '../../../base/kernel/sql.ts';
import type { Queryable } from '../../../platform/database/types.ts';
import type { Challenge } from '../common/pkce.ts';
import type { FlowState } from '../common/rows.ts';
import { fromMs } from '../common/times.ts';

const columns = sql`
  id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
  provider_refresh_token, created_at, authentication_method, auth_code_issued_at, invite_token, referrer,
  oauth_client_state_id, linking_target_id, email_optional`;

/** Inserts a flow state and returns the code for the exchange. */
export async function insertFlowState(
  db: Queryable,
  flow: {
    readonly userId: string;
    readonly providerType: string;
    readonly authenticationMethod: string;
    readonly challenge: Challenge;
    readonly referrer?: string;
  },
  nowMs: number,
): Promise<string> {
  const now = fromMs(nowMs);
  const code = randomUUID();
  await db.query(sql`
    insert into auth.flow_state
      (id, user_id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
       provider_refresh_token, authentication_method, referrer, created_at, updated_at)
    values (${randomUUID()}, ${flow.userId}, ${code}, ${flow.challenge.method}, ${flow.challenge.codeChallenge},
            ${flow.providerType}, '', '', ${flow.authenticationMethod}, ${flow.referrer ?? null}, ${now}, ${now})`);
  return code;
}

export async function findFlowStateByCode(db: Queryable, code: string): Promise<FlowState | undefined> {
  const [row] = await db.query<FlowState>(
    sql`select ${columns} from auth.flow_state where auth_code = ${code}`,
  );
  return row;
}

/** The authentication method of a provider, or of an organization's connection that uses OpenID Connect. */
export type OAuthMethod = 'oauth' | 'sso/oidc';

/** Inserts the flow of a provider sign-in. */
export async function insertOAuthFlow(
  db: Queryable,
  flow: {
    /** The value of the parameter `state` in the redirect back from the provider. */
    readonly id: string;
    readonly providerType: string;
    /** The PKCE challenge. Undefined for the implicit flow, in which the redirect URL contains the session itself. */
    readonly challenge: Challenge | undefined;
    readonly inviteToken: string | undefined;
    readonly referrer: string;
    readonly clientStateId: string | undefined;
    readonly linkingTargetId: string | undefined;
    readonly emailOptional: boolean;
    /** The authentication method of the session. */
    readonly method: OAuthMethod;
  },
  nowMs: number,
): Promise<void> {
  const now = fromMs(nowMs);
  const { challenge } = flow;
  await db.query(sql`
    insert into auth.flow_state
      (id, auth_code, code_challenge_method, code_challenge, provider_type, provider_access_token,
       provider_refresh_token, authentication_method, invite_token, referrer, oauth_client_state_id,
       linking_target_id, email_optional, created_at, updated_at)
    values (${flow.id}, ${challenge ? randomUUID() : null}, ${challenge?.method ?? null},
            ${challenge?.codeChallenge ?? null}, ${flow.providerType}, '',
            '', ${flow.method}, ${flow.inviteToken ?? null}, ${flow.referrer}, ${flow.clientStateId ?? null},
            ${flow.linkingTargetId ?? null}, ${flow.emailOptional}, ${now}, ${now})`);
}

/** Finds the flow of a provider sign-in. The flows of other sign-ins have no `state`. */
export async function findOAuthFlow(db: Queryable, id: string): Promise<FlowState | undefined> {
  const [row] = await db.query<FlowState>(
    sql`select ${columns} from auth.flow_state where id = ${id} and authentication_method in ('oauth', 'sso/oidc')`,
  );
  return row;
}

/** Completes a flow by storing the user and the provider's tokens. Returns false if the flow was already completed. */
export async function completeOAuthFlow(
  db: Queryable,
  id: string,
  done: { readonly userId: string; readonly accessToken: string; readonly refreshToken: string },
  nowMs: number,
): Promise<boolean> {
  const now = fromMs(nowMs);
  const rows = await db.query(sql`
    update auth.flow_state
    set user_id = ${done.userId}, provider_access_token = ${done.accessToken},
        provider_refresh_token = ${done.refreshToken}, auth_code_issued_at = ${now}, updated_at = ${now}
    where id = ${id} and user_id is null returning id`);
  return rows.length > 0;
}

/** Finds the newest flow with this user and authentication method. */
export async function findFlowStateOfUser(
  db: Queryable,
  userId: string,
  authenticationMethod: string,
): Promise<FlowState | undefined> {
  const [row] = await db.query<FlowState>(sql`
    select ${columns} from auth.flow_state
    where user_id = ${userId} and authentication_method = ${authenticationMethod} and auth_code is not null
    order by created_at desc limit 1`);
  return row;
}

export async function setCodeIssued(db: Queryable, id: string, nowMs: number): Promise<void> {
  const now = fromMs(nowMs);
  await db.query(
    sql`update auth.flow_state set auth_code_issued_at = ${now}, updated_at = ${now} where id = ${id}`,
  );
}

/**
 * Deletes a flow, because a code can be exchanged for only one session. Returns false if a concurrent request has
 * already used the flow.
 */
export async function consumeFlowState(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(sql`delete from auth.flow_state where id = ${id} returning id`);
  return rows.length > 0;
}
