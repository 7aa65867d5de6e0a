import { useState } from 'react';
import { useLocation } from 'wouter';
import type { Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { continueAsGuest } from '../account-api.ts';
import { useSubmit } from '../form/use-submit.ts';
import { useIntroduction } from '../introduction.ts';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, Form, PageLink, Submit } from '../parts.tsx';
import { useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { inWords } from '../texts.ts';
import { AlreadySignedIn } from './already-signed-in.tsx';

/** Offers a button that starts a guest session. Opening the page doesn't create a user yet. */
export function GuestPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { offers } = usePageConfig();
  const intro = useIntroduction('');
  const [isLeaving, setLeaving] = useState(false);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  const submit = useSubmit(async () => {
    setLeaving(true);
    try {
      await goOn(await continueAsGuest(), navigate);
    } catch (error) {
      // The guest was created, but the next step failed. The page shows the new session and the error.
      setProblems([await inWords(({ problemOf }) => problemOf(error))]);
      setLeaving(false);
      throw error;
    }
    return undefined;
  });
  if (state.status === 'signed-in' && !isLeaving) {
    return (
      <Shell page="page.guest">
        <AlreadySignedIn user={state.session.user} problems={problems} />
      </Shell>
    );
  }
  return (
    <Shell page="page.guest" intro={intro}>
      {offers.guest ? null : <Notice tone="warning">{t('guest.off')}</Notice>}
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <div data-part="guest">
          {offers.guest ? (
            <>
              <p>{t('guest.intro')}</p>
              <Submit busy={submit.busy}>{t('sign-in.guest')}</Submit>
            </>
          ) : null}
        </div>
      </Form>
      <Aside>
        {t('sign-up.have')} <PageLink to="sign-in">{t('sign-up.sign-in')}</PageLink>
      </Aside>
    </Shell>
  );
}
