/**
 * Declares POST /token, which issues sessions for a password, a refresh token, a PKCE code, an ID token or a wallet's
 * signature.
 */

import type { JsonObject } from '../common/json.ts';
import { type Call, type Operation, runGuarded } from '../common/operation.ts';
import type { AuthContext } from '../context.ts';
import type { Router } from '../http/route.ts';
import { renderFlowSession, renderPasswordSession, renderSession } from '../sessions/issued-session.ts';
import {
  idTokenGrant,
  passwordGrant,
  pkceGrant,
  refreshGrant,
  unsupportedGrant,
  walletGrant,
} from './operations.ts';

type Grant = (ctx: AuthContext, call: Call) => Promise<JsonObject>;

const grant =
  <Result>(operation: Operation<Call, Result>, render: (result: Result) => JsonObject): Grant =>
  async (ctx, call) =>
    render(await runGuarded(ctx, operation, call));

const grants: ReadonlyMap<string | null, Grant> = new Map([
  ['password', grant(passwordGrant, renderPasswordSession)],
  ['refresh_token', grant(refreshGrant, renderSession)],
  ['pkce', grant(pkceGrant, renderFlowSession)],
  ['id_token', grant(idTokenGrant, renderSession)],
  ['web3', grant(walletGrant, renderSession)],
]);

const noGrant = grant(unsupportedGrant, () => ({}));

export function tokenRoutes({ define }: Router, ctx: AuthContext): void {
  define('POST', '/token', (exchange) => {
    const run = grants.get(exchange.query.get('grant_type')) ?? noGrant;
    return run(ctx, exchange);
  });
}
