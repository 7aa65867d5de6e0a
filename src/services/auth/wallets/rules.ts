/** Checks that a signed message is intended for this project and hasn't expired. */
import { isBelow, isRedirectAllowed, type RedirectRules } from '../common/redirects.ts';
import { type Chain, splitUri, type WalletMessage } from './message.ts';

/**
 * The maximum age of a message. The time at which the message was issued may also be ahead of this server's clock by up
 * to this duration.
 */
export const walletMessageValidityMs = 600_000;

export const chainNames: Readonly<Record<Chain, string>> = { ethereum: 'Ethereum', solana: 'Solana' };

/** Returns upstream's error text for an invalid message, or undefined if the message is valid. */
export function walletMessageFault(
  message: WalletMessage,
  redirects: RedirectRules,
  nowMs: number,
  /** The URL of the Account pages, on which users can sign in with a wallet as well. */
  accountUrl: string,
): string | undefined {
  const chain = chainNames[message.chain];
  const signed = `Signed ${chain} message`;
  const { scheme, host, hostname } = splitUri(message.uri);
  const isLocal = hostname === 'localhost';
  if (scheme !== 'https' && !isLocal) return `${signed} is using URI which does not use HTTPS`;
  const isOwn = isBelow(message.uri, accountUrl);
  if (!isOwn && !isRedirectAllowed(redirects, message.uri)) {
    return `${signed} is using URI which is not allowed on this server, message was signed for another app`;
  }
  // If the URI's host is localhost, upstream doesn't compare the host with the domain of the message. Any page could
  // then ask its visitors to sign such a message, and use the signed message to sign in to their accounts.
  const isKnown = isOwn || isLocal || isRedirectAllowed(redirects, `https://${message.domain}/`);
  if (host !== message.domain || !isKnown) {
    return `${signed} is using a Domain that does not match the one in URI which is not allowed on this server`;
  }
  if (message.notBeforeMs !== undefined && nowMs < message.notBeforeMs) {
    return `${signed} becomes valid in the future`;
  }
  if (message.expiresAtMs !== undefined && nowMs > message.expiresAtMs) return `${signed} is expired`;
  if (nowMs > message.issuedAtMs + walletMessageValidityMs) return `${chain} message was issued too long ago`;
  if (nowMs < message.issuedAtMs - walletMessageValidityMs) {
    return `${chain} message was issued too far in the future`;
  }
  return undefined;
}
