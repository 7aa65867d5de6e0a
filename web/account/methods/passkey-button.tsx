import { IconFingerprint } from '@tabler/icons-react';
import { loaded } from '../../lib/loaded.ts';
import type { SessionState } from '../../lib/session/index.ts';
import { usePageConfig } from '../page-config.ts';
import { SubtleButton } from '../parts.tsx';
import type { User } from '../session.ts';
import { t } from '../text.ts';
import { LastUsed } from './last-used.tsx';
import { mark } from './mark.tsx';

export function PasskeyButton(props: {
  busy: boolean;
  onSignIn: (work: () => Promise<SessionState<User>>) => void;
}) {
  const { last } = usePageConfig();
  return (
    <SubtleButton
      leftSection={<IconFingerprint {...mark} />}
      disabled={props.busy}
      onClick={() => props.onSignIn(async () => (await loaded(import('./api.ts'))).signInWithPasskey())}
    >
      {t('sign-in.passkey')}
      {last === 'passkey' ? <LastUsed /> : null}
    </SubtleButton>
  );
}
