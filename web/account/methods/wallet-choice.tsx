import { IconWallet } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import type { SessionState } from '../../lib/session/index.ts';
import { Notice } from '../../ui/notice.tsx';
import { type Made, postGuarded } from '../account-api.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { SubtleButton } from '../parts.tsx';
import { sessionClient, type User } from '../session.ts';
import { t } from '../text.ts';
import { mark } from './mark.tsx';
import { findWallets, type Wallet } from './wallets.ts';

/** The time after which "No wallet found" is shown. Wallets announce themselves immediately. */
const patienceMs = 500;

async function signInWith(wallet: Wallet): Promise<SessionState<User>> {
  const { host, origin } = window.location;
  const signed = await wallet.sign({ host, origin }, Date.now());
  await postGuarded<Made>('wallet', { chain: wallet.chain, ...signed });
  return sessionClient().changed('SIGNED_IN');
}

/** Shows a button for each wallet that is available in this browser. */
export function WalletChoice(props: {
  busy: boolean;
  onSignIn: (work: () => Promise<SessionState<User>>) => void;
}) {
  const { wallets: chains } = usePageConfig();
  const [wallets, setWallets] = useState<readonly Wallet[]>([]);
  const [isWaiting, setWaiting] = useState(true);
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => findWallets(chains, setWallets), [chains]);
  useEffect(() => {
    // The focused button was removed, so the focus moves to the container.
    box.current?.focus();
    const timer = setTimeout(() => setWaiting(false), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return (
    <fieldset ref={box} tabIndex={-1} className={classes.plainSet} aria-label={t('sign-in.wallet')}>
      {wallets.map((wallet) => (
        <SubtleButton
          key={`${wallet.chain} ${wallet.id}`}
          disabled={props.busy}
          leftSection={
            wallet.icon === '' ? (
              <IconWallet {...mark} />
            ) : (
              <img src={wallet.icon} width={20} height={20} alt="" />
            )
          }
          onClick={() => props.onSignIn(() => signInWith(wallet))}
        >
          {t('sign-in.with', { provider: wallet.name || t(`wallet.${wallet.chain}`) })}
        </SubtleButton>
      ))}
      <div role="status">
        {wallets.length === 0 && !isWaiting ? <Notice tone="info">{t('wallet.none')}</Notice> : null}
      </div>
    </fieldset>
  );
}
