/** GET and POST /verify: links that are clicked, codes that are typed. */
import type { Transaction } from '../../database/types.ts';
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { isPkceHash } from '../core/pkce.ts';
import { encodeParams, withParams } from '../core/redirects.ts';
import { AuthError, authError } from '../errors.ts';
import { reloadUser, syncProviders } from '../flows/accounts.ts';
import { type IssuedSession, issueSession, renderSession, sessionFragment } from '../flows/sessions.ts';
import {
  contactOf,
  parseVerifyRequest,
  singleConfirmationAccepted,
  type VerifiedUser,
  type VerifyRequest,
  verify,
} from '../flows/verify.ts';
import { audienceOf, type Exchange } from '../http/exchange.ts';
import { errorKinds } from '../http/redirect-errors.ts';
import { findFlowStateOfUser, setCodeIssued } from '../queries/flow-states.ts';
import type { User } from '../rows.ts';
import type { Define, Handler } from './route.ts';

export function verifyRoutes(define: Define, ctx: AuthContext): void {
  const verifyBody: Handler = async (exchange) => {
    const body = exchange.body();
    const request = parseVerifyRequest({
      type: body.text('type'),
      token: body.text('token'),
      tokenHash: body.text('token_hash'),
      email: body.text('email'),
      phone: body.text('phone'),
      redirectTo: body.text('redirect_to'),
    });
    return verifyTyped(ctx, exchange, request);
  };
  define('POST', '/verify', verifyBody, { limit: 'verify' });

  const verifyLink: Handler = async (exchange) => {
    const type = exchange.query.get('type') ?? '';
    const hash = exchange.query.get('token') ?? '';
    if (type === '') throw authError('validation_failed', 'Verify requires a verification type');
    if (hash === '') throw authError('validation_failed', 'Verify requires a token or a token hash');
    const target = await followLink(ctx, exchange, { type, hash, typed: undefined });
    return exchange.reply.redirect(target, 303);
  };
  define('GET', '/verify', verifyLink, { limit: 'verify' });
}

async function verifyTyped(
  ctx: AuthContext,
  exchange: Exchange,
  request: VerifyRequest,
): Promise<JsonObject> {
  const session = await ctx.pool.transaction(async (tx) => {
    const verified = await verify(ctx, tx, exchange, request, audienceOf(ctx, exchange));
    if (verified.kind === 'half') return undefined;
    return signIn(ctx, tx, exchange, verified);
  });
  return session ? renderSession(session) : { msg: singleConfirmationAccepted, code: '200' };
}

async function signIn(
  ctx: AuthContext,
  tx: Transaction,
  exchange: Exchange,
  { user, type }: VerifiedUser,
): Promise<IssuedSession> {
  await syncProviders(ctx, tx, user);
  const proof = { by: 'code', contact: contactOf(type) } as const;
  return issueSession(ctx, tx, exchange, await reloadUser(tx, user), 'otp', proof);
}

/** Where the browser goes: with a session or a code, or with what went wrong. */
async function followLink(ctx: AuthContext, exchange: Exchange, request: VerifyRequest): Promise<string> {
  const target = exchange.redirectTo();
  const isPkce = isPkceHash(request.hash);
  try {
    return await ctx.pool.transaction(async (tx) => {
      const verified = await verify(ctx, tx, exchange, request, audienceOf(ctx, exchange));
      if (verified.kind === 'half') {
        const message = { message: singleConfirmationAccepted };
        return withParams(target, isPkce ? message : {}, { ...message, sb: '' });
      }
      if (isPkce) {
        await syncProviders(ctx, tx, verified.user);
        return withParams(target, { code: await issueCode(ctx, tx, verified.user, verified.type) });
      }
      const session = await signIn(ctx, tx, exchange, verified);
      return `${target}#${encodeParams({ ...sessionFragment(session), type: verified.type })}`;
    });
  } catch (error) {
    if (!(error instanceof AuthError)) throw error;
    return withError(target, error, isPkce);
  }
}

/** The code of the flow that asked for the link. */
async function issueCode(ctx: AuthContext, tx: Transaction, user: User, type: string): Promise<string> {
  const method = type === 'signup' ? 'email/signup' : type;
  const flow = await findFlowStateOfUser(tx, user.id, method);
  if (!flow?.auth_code) {
    throw authError(
      'flow_state_not_found',
      'No associated flow state found. No valid flow state found for user.',
      {
        status: 400,
      },
    );
  }
  await setCodeIssued(tx, flow.id, ctx.clock.now());
  return flow.auth_code;
}

/** Always in the fragment, for PKCE in the query as well. */
function withError(target: string, error: AuthError, isPkce: boolean): string {
  const kind = errorKinds[error.status];
  const params = {
    ...(kind === undefined ? {} : { error: kind }),
    error_code: error.code ?? '',
    error_description: error.message,
  };
  return withParams(target, isPkce ? params : {}, { ...params, sb: '' });
}
