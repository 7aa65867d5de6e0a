/** Signs users in with a message for this project that the user's wallet has signed. */

import { createHash } from 'node:crypto';
import type { Transaction } from '../../../platform/database/types.ts';
import { audit } from '../common/audit.ts';
import type { Caller } from '../common/caller.ts';
import { audienceOf } from '../common/caller.ts';
import type { ReadFields } from '../common/fields.ts';
import { retryOnConflict } from '../common/retry-conflicts.ts';
import type { AuthContext } from '../context.ts';
import { authError, OAuthShapedError } from '../errors.ts';
import {
  type ExternalSignIn,
  identityProof,
  runBeforeExternalUser,
  signInExternally,
} from '../providers/accounts.ts';
import { issueSession } from '../sessions/issue.ts';
import type { IssuedSession } from '../sessions/issued-session.ts';
import { runAfterUserCreated } from '../sign-up/accounts.ts';
import { type Chain, parseWalletMessage, type WalletMessage } from './message.ts';
import { chainNames, walletMessageFault, walletMessageValidityMs } from './rules.ts';
import { isSignedByEthereum, isSignedBySolana } from './signature.ts';

const minMessageBytes = 64;
const maxMessageBytes = 20 * 1024;

const provider = 'web3';

/**
 * Signs a user in with a signed message.
 * @throws {AuthError} web3_provider_disabled, web3_unsupported_chain, validation_failed, signup_disabled, user_banned
 * @throws {OAuthShapedError} invalid_grant
 */
export async function signInWithWallet(
  ctx: AuthContext,
  caller: Caller,
  body: ReadFields,
): Promise<IssuedSession> {
  const chain = requireChain(ctx, body);
  const fields = body();
  const text = fields.text('message');
  const message = await requireSigned(chain, text, fields.text('signature'));
  const now = ctx.clock.now();
  const fault = walletMessageFault(message, ctx.settings.redirects, now, ctx.settings.accountUrl());
  if (fault !== undefined) throw new OAuthShapedError('invalid_grant', fault);
  // Accepts each message only once, whereas upstream accepts a message until it expires. Identifies a message by the
  // hash of its text and not of its signature, because a valid signature can be converted into other valid signatures.
  const digest = createHash('sha256').update(text).digest('base64url');
  if (!(await ctx.limits.once(`wallet:${digest}`, 2 * walletMessageValidityMs, now))) {
    throw new OAuthShapedError('invalid_grant', `Signed ${chainNames[chain]} message was used before`);
  }
  const signIn = externalSignIn(message, audienceOf(ctx, caller));
  await runBeforeExternalUser(ctx, caller, signIn);
  const work = async (tx: Transaction) => {
    const outcome = await signInExternally(ctx, tx, caller, signIn);
    if (outcome.kind === 'refusal') throw outcome.error;
    const { chainId: network, address, domain, uri } = message;
    await audit(ctx, tx, outcome.user, {
      action: 'login',
      traits: { provider, chain, network, address, domain, uri },
    });
    const session = await issueSession(ctx, tx, caller, {
      user: outcome.user,
      method: provider,
      proof: identityProof(signIn),
    });
    return { session, isNew: outcome.isNew };
  };
  // Another tab may have created the same account at the same time.
  const { session, isNew } = await retryOnConflict(() => ctx.pool.transaction(work));
  if (isNew) await runAfterUserCreated(ctx, caller, session.user);
  return session;
}

function requireChain(ctx: AuthContext, body: ReadFields): Chain {
  const { solana, ethereum } = ctx.settings.config.web3;
  if (!solana.enabled && !ethereum.enabled) throw authError('web3_provider_disabled');
  const chain = body().text('chain');
  switch (chain) {
    case 'solana':
      if (!solana.enabled) throw authError('web3_provider_disabled', 'Solana Web3 provider is disabled');
      return chain;
    case 'ethereum':
      if (!ethereum.enabled) throw authError('web3_provider_disabled', 'Ethereum Web3 provider is disabled');
      return chain;
    default:
      throw authError('web3_unsupported_chain');
  }
}

async function requireSigned(chain: Chain, text: string, signature: string): Promise<WalletMessage> {
  const length = Buffer.byteLength(text);
  if (length < minMessageBytes) throw authError('validation_failed', 'message is too short');
  if (length > maxMessageBytes) throw authError('validation_failed', 'message must not exceed 20KB');
  const bytes = chain === 'solana' ? requireSolanaSignature(signature) : requireEthereumSignature(signature);
  const message = parseWalletMessage(chain, text);
  const isSigned =
    typeof bytes === 'string'
      ? await isSignedByEthereum(text, message.address, bytes)
      : isSignedBySolana(text, message.address, bytes, message.domain);
  if (!isSigned) throw new OAuthShapedError('invalid_grant', 'Signature does not match address in message');
  return message;
}

/** Decodes a signature in base64 or base64url. */
function requireSolanaSignature(text: string): Uint8Array {
  if (text.length !== 86 && text.length !== 88) {
    throw authError(
      'validation_failed',
      'signature must be 64 bytes encoded as base64 with or without padding',
    );
  }
  if (!/^[A-Za-z0-9+/_-]*=*$/.test(text)) {
    throw authError('validation_failed', 'signature does not contain valid base64 characters');
  }
  return Buffer.from(text, 'base64');
}

function requireEthereumSignature(text: string): string {
  if (text.replace(/^0x/, '').length !== 130) {
    throw authError(
      'validation_failed',
      'signature must be 65 bytes long, encoded as a 130 character-long hexadecimal string',
    );
  }
  return text;
}

/** Identifies the account by the wallet's chain and address, because a wallet has no other identifier. */
function externalSignIn(message: WalletMessage, aud: string): ExternalSignIn {
  const { chain, address, chainId: network, domain, statement } = message;
  const claims = {
    sub: `${provider}:${chain}:${address}`,
    custom_claims: { address, chain, network, domain, statement },
  };
  return { provider, profile: { emails: [], claims }, emailOptional: true, aud };
}
