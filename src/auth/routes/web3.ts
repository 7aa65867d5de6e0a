/** POST /token?grant_type=web3: sessions for the signature of a wallet. */
import { authError } from '../errors.ts';
import type { Exchange } from '../http/exchange.ts';

export function signInWithWallet(exchange: Exchange): Promise<object> {
  switch (exchange.body().text('chain')) {
    case 'solana':
      throw authError('web3_provider_disabled', 'Solana Web3 provider is disabled');
    case 'ethereum':
      throw authError('web3_provider_disabled', 'Ethereum Web3 provider is disabled');
    default:
      throw authError('web3_unsupported_chain');
  }
}
