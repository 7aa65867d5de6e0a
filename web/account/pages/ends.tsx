/** The last pages of a flow: signed out, and page not found. */
import { lazy, Suspense } from 'react';
import { formatList } from '../../lib/i18n.ts';
import { Copyable } from '../../ui/copyable.tsx';
import { t as ui } from '../../ui/text.ts';
import { lastSignOut } from '../account-api.ts';
import { useFlow } from '../flow.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, PageButton } from '../parts.tsx';
import { useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { useSignedOutFrames } from '../signed-out-frames.ts';
import { t } from '../text.ts';
import { later } from './later.ts';

const SignedOutMore = lazy(async () => ({ default: (await later()).SignedOutMore }));

/** Shown after the user has signed out here, in another tab, or only in the app that redirected the user here. */
export function SignedOutPage() {
  const state = useSession();
  const { redirectTo } = useFlow();
  const isStillIn = state.status === 'signed-in';
  const hasFrames = useSignedOutFrames();
  const isEnded = state.status === 'signed-out' && state.reason === 'ended';
  return (
    <Shell
      page={isStillIn ? 'page.still-in' : 'page.signed-out'}
      intro={isStillIn ? undefined : isEnded ? t('sign-in.ended') : signedOutText(hasFrames)}
    >
      {isStillIn || redirectTo !== undefined ? (
        <Suspense>
          <SignedOutMore />
        </Suspense>
      ) : null}
      {isStillIn ? null : (
        <PageButton isSubtle to="sign-in">
          {t('signed-out.again')}
        </PageButton>
      )}
    </Shell>
  );
}

/** Names the apps that stay signed in. After a reload, the page doesn't know them. */
function signedOutText(hasFrames: boolean): string {
  const known = lastSignOut();
  if (hasFrames) return t('signed-out.all');
  if (known === undefined) return t('signed-out.text');
  if (known.scope === 'browser') return t('signed-out.all');
  if (known.apps.length === 0) return t('signed-out.alone');
  return t('signed-out.apps', { apps: formatList(known.apps) });
}

export function ErrorPage() {
  const { requestId } = usePageConfig();
  return (
    <Shell page="page.error" intro={t('error.text')}>
      <PageButton to="security">{t('error.home')}</PageButton>
      <div>
        <Aside>{ui('ui.request-id')}</Aside>
        <Aside>
          <Copyable value={requestId} what={ui('ui.request-id')} />
        </Aside>
      </div>
    </Shell>
  );
}
