import { Button } from '@mantine/core';
import { useEffect, useState } from 'react';
import { isAppAddress, signOut } from '../account-api.ts';
import { hostOf, useFlow } from '../flow.ts';
import { Form, PageLink, Submit, wide } from '../parts.tsx';
import { nameOf, useSession } from '../session.ts';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';

/**
 * Offers to sign out of the Account pages too if the user is still signed in. Also offers a link back to the app, but
 * only to addresses that the project's redirect rules allow.
 */
export function SignedOutMore() {
  const state = useSession();
  const { redirectTo } = useFlow();
  const [isKnown, setKnown] = useState(false);
  useEffect(() => {
    // If the request fails, the link back is omitted.
    if (redirectTo !== undefined) isAppAddress(redirectTo).then(setKnown, () => setKnown(false));
  }, [redirectTo]);
  const submit = useSubmit(async () => {
    await signOut('local');
    return undefined;
  });
  const host = hostOf(redirectTo);
  const isStillIn = state.status === 'signed-in';
  return (
    <>
      {isStillIn ? (
        <Form onSubmit={submit.onSubmit} problems={submit.problems}>
          <p>
            {nameOf(state.session.user) === ''
              ? t('still-in.guest')
              : t('still-in.text', { who: nameOf(state.session.user) })}
          </p>
          <Submit busy={submit.busy}>{t('still-in.submit')}</Submit>
          <PageLink to="security">{t('error.home')}</PageLink>
        </Form>
      ) : null}
      {isKnown && host !== undefined ? (
        <Button
          component="a"
          variant={isStillIn ? 'default' : 'filled'}
          size="md"
          fullWidth
          classNames={wide}
          href={redirectTo}
        >
          {t('still-in.back', { host })}
        </Button>
      ) : null}
    </>
  );
}
