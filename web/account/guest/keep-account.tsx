import { IconMail } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import type { Problem } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { leaveFor } from '../account-api.ts';
import { useFlow } from '../flow.ts';
import { isGoodPassword, looksLikeEmail } from '../form/fields.ts';
import { NewPasswordField } from '../form/new-password-field.tsx';
import { problemFor } from '../form/problems.ts';
import { type Handler, useSubmit } from '../form/use-submit.ts';
import { linkAddress } from '../methods/api.ts';
import { Mark, mark } from '../methods/mark.tsx';
import { usePageConfig } from '../page-config.ts';
import { Divider, EmailField, Form, Submit, SubtleButton } from '../parts.tsx';
import { callAuth, sessionClient } from '../session.ts';
import { t } from '../text.ts';
import { towardsUpgrade } from './search.ts';

const emailId = 'email';
const passwordId = 'new-password';

/** Errors that suggest that the address or identity belongs to an existing account of the guest. */
const elsewhere: ReadonlySet<string | undefined> = new Set(['email_exists', 'identity_already_exists']);

function withAdvice(problem: Problem): Problem {
  return elsewhere.has(problem.code)
    ? { ...problem, text: `${problem.text} ${t('upgrade.if-yours')}` }
    : problem;
}

/** Offers the sign-in methods that a guest can add: providers, and an email address with or without a password. */
export function KeepAccount({ onSaved }: { onSaved: () => void }) {
  const { offers, password: policy, providers, linking } = usePageConfig();
  const { search } = useFlow();
  const [arrived, setArrived] = useState<readonly Problem[]>([]);
  useEffect(() => {
    // The parameter is set if a provider has redirected the browser to this page.
    const code = new URLSearchParams(window.location.search).get('problem');
    if (code === 'email_exists') setArrived([{ text: t('upgrade.taken') }]);
    else if (code !== null) setArrived([problemFor(code)]);
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
  const problems = [...submit.problems, ...arrived].map(withAdvice);
  const errorAt = (id: string) => problems.find(({ fieldId }) => fieldId === id)?.text;
  return (
    <Form onSubmit={submit.onSubmit} problems={problems}>
      {offers.password ? (
        <>
          <EmailField id={emailId} error={errorAt(emailId)} />
          <NewPasswordField id={passwordId} label={t('field.password')} error={errorAt(passwordId)} />
          <Submit busy={submit.busy}>{t('upgrade.submit')}</Submit>
          <Divider>{t('sign-in.or')}</Divider>
          <SubtleButton
            leftSection={<IconMail {...mark} />}
            disabled={submit.busy}
            onClick={(event) => submit.run(event.currentTarget.form ?? undefined, saving(false))}
          >
            {t('upgrade.by-code')}
          </SubtleButton>
        </>
      ) : null}
      {canLink
        ? providers.map(({ id, name, mark: icon }) => (
            <SubtleButton
              key={id}
              disabled={submit.busy}
              leftSection={<Mark svg={icon} />}
              onClick={() =>
                submit.run(undefined, async () =>
                  leaveFor(await linkAddress(id, towardsUpgrade(search).slice(1))),
                )
              }
            >
              {t('sign-in.with', { provider: name })}
            </SubtleButton>
          ))
        : null}
    </Form>
  );
}
