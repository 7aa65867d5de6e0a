/** POST /token?grant_type=web3: sessions for the signature of a wallet. */
import type { AuthContext } from '../context.ts';
import type { JsonObject } from '../core/json.ts';
import { authError } from '../errors.ts';
import { renderSession } from '../flows/sessions.ts';
import { signInWithWallet } from '../flows/wallets.ts';
import type { Exchange } from '../http/exchange.ts';

export async function exchangeWalletMessage(ctx: AuthContext, exchange: Exchange): Promise<JsonObject> {
  const { solana, ethereum } = ctx.settings.config.web3;
  if (!solana.enabled && !ethereum.enabled) throw authError('web3_provider_disabled');
  switch (exchange.body().text('chain')) {
    case 'solana':
      if (!solana.enabled) throw authError('web3_provider_disabled', 'Solana Web3 provider is disabled');
      return renderSession(await signInWithWallet(ctx, exchange, 'solana'));
    case 'ethereum':
      if (!ethereum.enabled) throw authError('web3_provider_disabled', 'Ethereum Web3 provider is disabled');
      return renderSession(await signInWithWallet(ctx, exchange, 'ethereum'));
    default:
      throw authError('web3_unsupported_chain');
  }
}
