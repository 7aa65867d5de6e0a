import { useEffect } from 'react';
import { post } from '../account-api.ts';
import { digitsOf } from '../form/fields.ts';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Form, Submit } from '../parts.tsx';
import { PendingChange } from '../security/pending-change.tsx';
import { sessionClient } from '../session.ts';
import { t } from '../text.ts';

const codeId = 'code';

/**
 * Shows that a guest's address isn't confirmed yet. The user can confirm the address by entering the code or by opening
 * the link in any browser.
 */
export function PendingAddress({ email, onChange }: { email: string; onChange: () => void }) {
  const { codeLength: length } = usePageConfig();
  const submit = useSubmit(
    async (field) => {
      const token = digitsOf(field('code'), length);
      if (token.length !== length) {
        return [{ text: t('field.code-missing', { length }), fieldId: codeId }];
      }
      await post('verify', { email, token, type: 'email_change' });
      await sessionClient().changed('USER_UPDATED');
      return undefined;
    },
    { otp_expired: codeId },
  );
  useEffect(() => {
    // If the link was opened in another tab, the server has already created the session in that tab.
    const look = () => void sessionClient().load();
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
  return (
    <>
      <PendingChange
        kind="email"
        to={email}
        text={t('upgrade.sent', { email, length })}
        cancel={t('upgrade.change')}
        onCanceled={onChange}
      />
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <CodeField
          id={codeId}
          length={length}
          error={submit.errorAt(codeId)}
          onComplete={(form) => submit.run(form)}
        />
        <Submit busy={submit.busy}>{t('code.submit')}</Submit>
      </Form>
    </>
  );
}
