/** The forms in which users prove that they have one of their second factors. */
import { useEffect } from 'react';
import { verifyFactor } from '../account-api.ts';
import { digitsOf } from '../form/fields.ts';
import { useSubmit } from '../form/use-submit.ts';
import { type PageConfig, usePageConfig } from '../page-config.ts';
import { CodeField, Form, Submit, TextButton } from '../parts.tsx';
import type { Factor } from '../session.ts';
import { t } from '../text.ts';
import { challengeFactor, submitFactor, submitKeyFactor } from './api.ts';
import { supportsKeys } from './key-support.ts';
import { proving } from './proving.ts';

/** The ID of the field for the code. A page shows one of these forms at a time. */
export const factorCodeId = 'code';
/** The number of digits in an authenticator app's code (RFC 6238). */
const totpLength = 6;

/** Runs the call that proves the factor, and then continues. */
export type Go = (work: () => ReturnType<typeof verifyFactor>) => Promise<undefined>;

/** Omits keys that can't be used in this browser or at this address. */
export function usable(factors: readonly Factor[]): readonly Factor[] {
  return factors.filter((factor) => factor.factor_type !== 'webauthn' || supportsKeys());
}

/** Returns the instructions for using the factor. */
export function introOf(
  factor: Factor,
  { brand, phoneFactorLength }: PageConfig,
  isSent: boolean,
  account: string,
): string {
  const { factor_type: type, friendly_name: given } = factor;
  // An authenticator app can have codes for several accounts, so the text names the account.
  if (type === 'totp') return t('mfa.intro', { length: totpLength, name: brand.name, account });
  if (type === 'webauthn') return t('mfa.key-intro', { name: given || t('factor.webauthn') });
  const name = given || t('factor.phone');
  return isSent ? t('mfa.phone-sent', { name, length: phoneFactorLength }) : t('mfa.phone-intro', { name });
}

export function factorText({ factor_type, friendly_name: name }: Factor): string {
  if (factor_type === 'totp') return t('mfa.use-totp', { name: name || t('mfa.unnamed') });
  if (factor_type === 'phone') return t('mfa.use-phone', { name: name || t('factor.phone') });
  return t('mfa.use-key', { name: name || t('factor.webauthn') });
}

interface FactorFormProps {
  readonly factor: Factor;
  readonly go: Go;
  /** The ID of the challenge whose code was sent to the factor's phone. */
  readonly challengeId: string | undefined;
  readonly onSent: (challengeId: string) => void;
}

/** The form for a factor of any type. */
export function FactorForm(props: FactorFormProps) {
  const { factor, go } = props;
  if (factor.factor_type === 'totp') return <TotpForm key={factor.id} factor={factor} go={go} />;
  if (factor.factor_type === 'phone') return <PhoneForm key={factor.id} {...props} />;
  return <KeyForm key={factor.id} factor={factor} go={go} />;
}

function TotpForm({ factor, go }: { factor: Factor; go: Go }) {
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), totpLength);
      if (code.length !== totpLength) {
        return [{ text: t('field.code-missing', { length: totpLength }), fieldId: factorCodeId }];
      }
      return go(() => verifyFactor(factor.id, code));
    },
    { mfa_verification_failed: factorCodeId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <CodeField
        id={factorCodeId}
        isFirst
        length={totpLength}
        error={submit.errorAt(factorCodeId)}
        onComplete={(form) => submit.run(form)}
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
    </Form>
  );
}

/** Sends a text message, but only when the user requests it, because each message costs money. */
function PhoneForm({ factor, go, challengeId, onSent }: FactorFormProps) {
  const send = useSubmit(async () => {
    onSent((await challengeFactor(factor.id)).id);
    return undefined;
  });
  if (challengeId !== undefined) {
    // The key resets the input and the errors that belong to the previous text message.
    return <PhoneCodeForm key={challengeId} factor={factor} go={go} challengeId={challengeId} send={send} />;
  }
  return (
    <Form onSubmit={send.onSubmit} problems={send.problems}>
      <Submit busy={send.busy}>{t('mfa.phone-send')}</Submit>
    </Form>
  );
}

interface PhoneCodeFormProps {
  readonly factor: Factor;
  readonly go: Go;
  readonly challengeId: string;
  readonly send: ReturnType<typeof useSubmit>;
}

function PhoneCodeForm({ factor, go, challengeId, send }: PhoneCodeFormProps) {
  const { phoneFactorLength: length } = usePageConfig();
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), length);
      if (code.length !== length) {
        return [{ text: t('field.code-missing', { length }), fieldId: factorCodeId }];
      }
      const response = () => go(() => submitFactor(factor.id, challengeId, { code }));
      return proving(response, t('mfa.phone-wrong'), factorCodeId);
    },
    { otp_expired: factorCodeId },
  );
  // The form is shown again for each code that was sent.
  useEffect(() => document.getElementById(factorCodeId)?.focus(), []);
  return (
    <Form onSubmit={submit.onSubmit} problems={[...submit.problems, ...send.problems]}>
      <CodeField
        id={factorCodeId}
        length={length}
        error={submit.errorAt(factorCodeId)}
        onComplete={(form) => submit.run(form)}
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
      <TextButton disabled={send.busy} onClick={() => send.run(undefined)}>
        {t('code.resend')}
      </TextButton>
    </Form>
  );
}

function KeyForm({ factor, go }: { factor: Factor; go: Go }) {
  const submit = useSubmit(() => go(() => submitKeyFactor(factor.id)));
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <Submit busy={submit.busy}>{t('mfa.key-submit')}</Submit>
    </Form>
  );
}
