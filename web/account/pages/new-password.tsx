import { IconFingerprint } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { useFlow } from '../flow.ts';
import { isGoodPassword } from '../form/fields.ts';
import { NewPasswordField } from '../form/new-password-field.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { addPasskey } from '../methods/api.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { mark } from '../methods/mark.tsx';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, Divider, Form, Submit, SubtleButton, TextButton } from '../parts.tsx';
import { callAuth, sessionClient, useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';

const passwordId = 'new-password';

/** Lets users who signed in with a recovery code choose a new password. */
export function NewPasswordPage() {
  return <PasswordPage isJoining={false} />;
}

/** Lets users who accepted an invitation choose whether to sign in with a password or with a passkey. */
export function JoinPage() {
  return <PasswordPage isJoining />;
}

function PasswordPage({ isJoining }: { isJoining: boolean }) {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const { password: policy, offers, brand } = usePageConfig();
  // During prerendering, the browser's capabilities aren't known.
  const [canAddPasskey, setCanAddPasskey] = useState(false);
  useEffect(() => setCanAddPasskey(isJoining && offers.passkey && supportsKeys()), [isJoining, offers]);
  const [isAddingKey, setAddingKey] = useState(false);
  const submit = useSubmit(
    async (field) => {
      const chosen = field('password');
      if (!isGoodPassword(chosen, policy)) return [{ text: t('field.password-weak'), fieldId: passwordId }];
      await callAuth('/user', { method: 'PUT', body: { password: chosen } });
      await goOn(await sessionClient().changed('USER_UPDATED'), navigate);
      return undefined;
    },
    { weak_password: passwordId, same_password: passwordId },
  );
  const user = state.status === 'signed-in' ? state.session.user : undefined;
  const owner = useRef<string>(undefined);
  useEffect(() => {
    owner.current ??= user?.id;
    // If another user has signed in from another tab, that user's password must not be changed.
    const isAnother = user !== undefined && user.id !== owner.current;
    if (state.status === 'signed-out' || isAnother) navigate(`/sign-in${search}`, { replace: true });
  }, [state.status, user, navigate, search]);
  return (
    <Shell
      page={isJoining ? 'page.join' : 'page.new-password'}
      isIntroLate
      intro={
        isJoining
          ? user && t('join.intro', { email: user.email, name: brand.name })
          : user === undefined || user.email === ''
            ? t('new-password.intro')
            : t('new-password.intro-as', { email: user.email })
      }
    >
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        {/* Password managers use this field to find the account for the new password. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={user?.email ?? ''}
          hidden
          readOnly
        />
        <NewPasswordField
          id={passwordId}
          label={t('field.new-password')}
          error={submit.errorAt(passwordId)}
          isFirst
        />
        {isJoining ? null : <Aside>{t('new-password.others')}</Aside>}
        <Submit busy={submit.busy && !isAddingKey} isDisabled={isAddingKey}>
          {t('new-password.submit')}
        </Submit>
        {isJoining ? null : (
          <TextButton
            disabled={submit.busy}
            onClick={() =>
              submit.run(undefined, async () => {
                await goOn(sessionClient().state(), navigate);
                return undefined;
              })
            }
          >
            {t('new-password.later')}
          </TextButton>
        )}
        {canAddPasskey ? (
          <>
            <Divider>{t('sign-in.or')}</Divider>
            <SubtleButton
              leftSection={<IconFingerprint {...mark} />}
              disabled={submit.busy}
              loading={isAddingKey}
              onClick={() => {
                setAddingKey(true);
                void submit
                  .run(undefined, async () => {
                    await addPasskey();
                    await goOn(sessionClient().state(), navigate);
                    return undefined;
                  })
                  .finally(() => setAddingKey(false));
              }}
            >
              {t('join.passkey')}
            </SubtleButton>
          </>
        ) : null}
      </Form>
    </Shell>
  );
}
