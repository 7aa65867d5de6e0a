/** What config.toml enables and this service does not offer yet; told at start, so that nobody relies on it. */
import type { Config } from '../../config/index.ts';

/** Keys of the settings, for example `auth.web3.solana`. */
export function notOffered(auth: Config['auth']): string[] {
  const flags: readonly (readonly [string, boolean])[] = [
    ['auth.web3.solana', auth.web3.solana.enabled],
    ['auth.web3.ethereum', auth.web3.ethereum.enabled],
  ];
  return flags.filter(([, enabled]) => enabled).map(([name]) => name);
}
