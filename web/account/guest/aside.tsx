import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { currentFlow } from '../flow.ts';
import { Stack, TextButton } from '../parts.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { isGuestSetAside, resumeGuest } from './api.ts';

/** On the sign-in page, for a guest who looks for their account: why they are here, and the way back. */
export function GuestAside() {
  const [, navigate] = useLocation();
  const [isGuest, setGuest] = useState(false);
  useEffect(() => {
    // Without an answer there is no way back to offer; signing in works as ever.
    isGuestSetAside().then(setGuest, () => setGuest(false));
  }, []);
  const back = useSubmit(async () => {
    await resumeGuest();
    navigate(`/upgrade${currentFlow().search}`);
    return undefined;
  });
  if (!isGuest) return null;
  return (
    <Stack>
      <Notice tone="info">{t('hand-over.sign-in')}</Notice>
      <ErrorSummary problems={back.problems} />
      <TextButton disabled={back.busy} onClick={() => back.run(undefined)}>
        {t('hand-over.back')}
      </TextButton>
    </Stack>
  );
}
