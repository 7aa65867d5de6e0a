import { useEffect, useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { WithAddresses } from '../addresses.tsx';
import { digitsOf } from '../form/fields.ts';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Form } from '../parts.tsx';
import { t as account } from '../text.ts';
import { t } from './pending-text.ts';
import classes from './security.module.css';

export interface PendingCodesProps {
  readonly kind: 'email' | 'phone';
  /** The email addresses or phone numbers to which codes were sent. */
  readonly sentTo: readonly string[];
  /** Verifies a code. Returns true once the change is complete. */
  readonly verify: (to: string, code: string) => Promise<boolean>;
  readonly onConfirmed: () => void;
  /** Whether the codes were just sent. If so, the first field gets focus. */
  readonly hasFocus: boolean;
}

/** Asks for the codes that confirm a change. */
export function PendingCodes({ kind, sentTo, verify, onConfirmed, hasFocus }: PendingCodesProps) {
  const { codeLength } = usePageConfig();
  useEffect(() => {
    if (hasFocus) document.getElementById(`${kind}-code-0`)?.focus();
  }, [hasFocus, kind]);
  const [confirmed, setConfirmed] = useState<readonly string[]>([]);
  const open = sentTo.filter((to) => !confirmed.includes(to));
  const fieldOf = (to: string) => `${kind}-code-${sentTo.indexOf(to)}`;
  const submit = useSubmit(async (field) => {
    const typed = open.map((to) => ({ to, code: digitsOf(field(fieldOf(to)), codeLength) }));
    const complete = typed.filter(({ code }) => code.length === codeLength);
    const first = open[0];
    // After the first of two codes, an empty field isn't an error.
    if (confirmed.length > 0 && typed.every(({ code }) => code === '')) return undefined;
    if (complete.length === 0 && first !== undefined) {
      return [{ text: account('field.code-missing', { length: codeLength }), fieldId: fieldOf(first) }];
    }
    for (const { to, code } of complete) {
      try {
        if (await verify(to, code)) {
          onConfirmed();
          return undefined;
        }
        setConfirmed((known) => [...known, to]);
      } catch (error) {
        if (!(error instanceof ApiError) || error.code !== 'otp_expired') throw error;
        return [{ text: account('error.otp_expired'), fieldId: fieldOf(to) }];
      }
    }
    return undefined;
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('pending.codes')}>
      {confirmed.map((to) => (
        <p key={to}>
          <WithAddresses text={t('pending.code-accepted', { to })} />
        </p>
      ))}
      {open.map((to) => (
        <CodeField
          key={to}
          id={fieldOf(to)}
          name={fieldOf(to)}
          length={codeLength}
          label={<WithAddresses text={t('pending.code', { to })} />}
          error={submit.errorAt(fieldOf(to))}
          onComplete={(form) => submit.run(form)}
        />
      ))}
      <div className={classes.actions}>
        <FormButton variant="default" size="xs" loading={submit.busy}>
          {t('pending.confirm')}
        </FormButton>
      </div>
    </Form>
  );
}
