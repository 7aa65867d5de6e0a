import { useEffect, useState } from 'react';
import type { Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { leaveFor } from '../account-api.ts';
import { isGoodPassword, looksLikeEmail } from '../fields.ts';
import { useFlow } from '../flow.ts';
import { linkAddress } from '../methods/api.ts';
import { Mark } from '../methods/mark.tsx';
import { usePageConfig } from '../page-config.ts';
import { Divider, EmailField, Form, Quiet, Submit } from '../parts.tsx';
import { PasswordRules } from '../password-rules.tsx';
import { problemFor } from '../problems.ts';
import { callAuth, sessionClient } from '../session.ts';
import { t } from '../text.ts';
import { type Handler, useSubmit } from '../use-submit.ts';
import { towardsUpgrade } from './search.ts';

const emailId = 'email';
const passwordId = 'new-password';
const rulesId = 'password-rules';

/** An address or identity that can't be used may belong to the guest's existing account. */
const elsewhere: ReadonlySet<string | undefined> = new Set(['email_exists', 'identity_already_exists']);

function withAdvice(problem: Problem): Problem {
  return elsewhere.has(problem.code) ? { ...problem, advice: t('upgrade.if-yours') } : problem;
}

/** The sign-in methods that a guest can add: an email address with or without a password, or a provider. */
export function KeepAccount({ onSaved }: { onSaved: () => void }) {
  const { offers, password: policy, providers, linking } = usePageConfig();
  const { search } = useFlow();
  const [password, setPassword] = useState('');
  const [arrived, setArrived] = useState<readonly Problem[]>([]);
  useEffect(() => {
    // Set if a provider's response led back here.
    const code = new URLSearchParams(window.location.search).get('problem');
    if (code !== null) setArrived([problemFor(code)]);
  }, []);

  const saving =
    (withPassword: boolean): Handler =>
    async (field) => {
      setArrived([]);
      const email = field('email').trim();
      const chosen = field('password');
      if (!looksLikeEmail(email)) {
        return [{ text: email === '' ? t('field.email-missing') : t('field.email-wrong'), fieldId: emailId }];
      }
      if (withPassword && !isGoodPassword(chosen, policy)) {
        return [{ text: t('field.password-weak'), fieldId: passwordId }];
      }
      const body = { email, ...(withPassword ? { password: chosen } : {}) };
      await callAuth('/user', { method: 'PUT', body });
      await sessionClient().changed('USER_UPDATED');
      onSaved();
      return undefined;
    };
  const submit = useSubmit(saving(true), {
    email_exists: emailId,
    email_address_invalid: emailId,
    weak_password: passwordId,
  });
  const canLink = linking && providers.length > 0;
  if (!offers.password && !canLink) return <Notice tone="warning">{t('upgrade.none')}</Notice>;
  return (
    <Form onSubmit={submit.onSubmit} problems={[...submit.problems, ...arrived].map(withAdvice)}>
      {offers.password ? (
        <>
          <EmailField id={emailId} error={submit.errorAt(emailId)} />
          <PasswordField
            id={passwordId}
            name="password"
            size="md"
            label={t('field.password')}
            autoComplete="new-password"
            aria-describedby={rulesId}
            required
            withAsterisk={false}
            onChange={(event) => setPassword(event.currentTarget.value)}
            error={submit.errorAt(passwordId)}
          />
          <PasswordRules id={rulesId} password={password} />
          <Submit busy={submit.busy}>{t('upgrade.submit')}</Submit>
          <Divider>{t('sign-in.or')}</Divider>
          <Quiet
            disabled={submit.busy}
            onClick={(event) => submit.run(event.currentTarget.form ?? undefined, saving(false))}
          >
            {t('upgrade.by-code')}
          </Quiet>
        </>
      ) : null}
      {canLink
        ? providers.map(({ id, name, mark }) => (
            <Quiet
              key={id}
              disabled={submit.busy}
              leftSection={<Mark svg={mark} />}
              onClick={() =>
                submit.run(undefined, async () =>
                  leaveFor(await linkAddress(id, towardsUpgrade(search).slice(1))),
                )
              }
            >
              {t('sign-in.with', { provider: name })}
            </Quiet>
          ))
        : null}
    </Form>
  );
}
