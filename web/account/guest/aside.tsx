import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { currentFlow } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { Stack, TextButton } from '../parts.tsx';
import { t } from '../text.ts';
import { isGuestSetAside, resumeGuest } from './api.ts';

/** Explains to guests on the sign-in page what will happen to their data, and links to the guest session. */
export function GuestAside() {
  const [, navigate] = useLocation();
  const [isGuest, setGuest] = useState(false);
  useEffect(() => {
    // If the request fails, the link back is omitted, but signing in still works.
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
