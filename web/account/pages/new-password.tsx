import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { PasswordField } from '../../ui/password-field.tsx';
import { useEarlyText } from '../early.ts';
import { isGoodPassword } from '../fields.ts';
import { useFlow } from '../flow.ts';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { Aside, Form, Submit } from '../parts.tsx';
import { PasswordRules } from '../password-rules.tsx';
import { callAuth, sessionClient, useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';

const passwordId = 'new-password';
const rulesId = 'password-rules';

/** Chooses a new password after a recovery code has signed the user in. */
export function NewPasswordPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const { password: policy } = usePageConfig();
  const [password, setPassword] = useState('');
  useEarlyText(passwordId, setPassword);
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
    // Another user may have signed in, in a different tab. That user's password must not be changed.
    const isAnother = user !== undefined && user.id !== owner.current;
    if (state.status === 'signed-out' || isAnother) navigate(`/sign-in${search}`, { replace: true });
  }, [state.status, user, navigate, search]);
  return (
    <Shell page="page.new-password" lead={t('new-password.intro')}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        {/* Password managers look for the account to which a new password belongs. */}
        <input
          type="text"
          name="username"
          autoComplete="username"
          value={user?.email ?? ''}
          hidden
          readOnly
        />
        <PasswordField
          id={passwordId}
          name="password"
          size="md"
          label={t('field.new-password')}
          autoComplete="new-password"
          aria-describedby={rulesId}
          required
          withAsterisk={false}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={submit.errorAt(passwordId)}
        />
        <PasswordRules id={rulesId} password={password} />
        <Aside>{t('new-password.others')}</Aside>
        <Submit busy={submit.busy}>{t('new-password.submit')}</Submit>
      </Form>
    </Shell>
  );
}
