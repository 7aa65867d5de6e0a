import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { currentFlow } from '../flow.ts';
import { Stack, TextButton } from '../parts.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';
import { isGuestSetAside, resumeGuest } from './api.ts';

/**
 * Shown on the sign-in page to a guest who wants to use an existing account. Explains the situation and offers a link
 * back.
 */
export function GuestAside() {
  const [, navigate] = useLocation();
  const [isGuest, setGuest] = useState(false);
  useEffect(() => {
    // If the request fails, no link back is offered, and signing in works as usual.
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
