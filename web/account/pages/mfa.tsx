import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { ApiError } from '../../lib/api.ts';
import { Notice } from '../../ui/notice.tsx';
import { signOut, verifyFactor } from '../account-api.ts';
import { digitsOf } from '../fields.ts';
import { currentFlow, useFlow } from '../flow.ts';
import { answerFactor, answerWithKey, challengeFactor, spendRecoveryCode } from '../methods/api.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { CodeField, Divider, Form, Stack, Submit, TextButton } from '../parts.tsx';
import { callAuth, type Factor, needsSecondFactor, useSession, verifiedFactors } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';

const codeId = 'code';
/** What authenticator apps show (RFC 6238 as the service uses it). */
const totpLength = 6;
const recovery = 'recovery';

/** The second factor of a session that has only passed the first, or once more before a sensitive change. */
export function MfaPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const [chosen, setChosen] = useState<string>();
  const [codesLeft, setCodesLeft] = useState(0);
  const [isLeaving, setLeaving] = useState(false);
  const isSignedIn = state.status === 'signed-in';
  const factors = isSignedIn ? usable(verifiedFactors(state.session.user)) : [];
  const isAgain = isSignedIn && new URLSearchParams(window.location.search).has('again');
  const isIdle =
    isSignedIn &&
    !isLeaving &&
    !(isAgain && factors.length > 0) &&
    !needsSecondFactor(state.session) &&
    currentFlow().redirectTo === undefined;
  useEffect(() => {
    if (state.status === 'signed-out') navigate(`/sign-in${search}`, { replace: true });
    if (isIdle) navigate('/security', { replace: true });
  }, [state.status, isIdle, navigate, search]);
  useEffect(() => {
    if (!isSignedIn) return;
    callAuth<{ remaining: number }>('/factors/recovery-codes').then(
      ({ remaining }) => setCodesLeft(remaining),
      // Without the count there is no such way; the factors are still there.
      () => setCodesLeft(0),
    );
  }, [isSignedIn]);

  const current = chosen ?? factors[0]?.id;
  const factor = factors.find(({ id }) => id === current);
  const others = factors.filter(({ id }) => id !== current);
  const go = async (work: () => ReturnType<typeof verifyFactor>): Promise<undefined> => {
    setLeaving(true);
    try {
      await goOn(await work(), navigate);
    } catch (error) {
      setLeaving(false);
      throw error;
    }
  };
  return (
    <Shell page="page.mfa" lead={isAgain ? t('mfa.again') : undefined}>
      {isSignedIn && current === undefined ? <Notice tone="warning">{t('mfa.unusable')}</Notice> : null}
      {current === recovery ? <RecoveryForm go={go} /> : null}
      {factor?.factor_type === 'totp' ? <TotpForm key={factor.id} factor={factor} go={go} /> : null}
      {factor?.factor_type === 'phone' ? <PhoneForm key={factor.id} factor={factor} go={go} /> : null}
      {factor?.factor_type === 'webauthn' ? <KeyForm key={factor.id} factor={factor} go={go} /> : null}
      <Stack>
        {others.length > 0 || (codesLeft > 0 && current !== recovery) ? (
          <Divider>{t('mfa.other')}</Divider>
        ) : null}
        {others.map((other) => (
          <TextButton key={other.id} onClick={() => setChosen(other.id)}>
            {wayText(other)}
          </TextButton>
        ))}
        {codesLeft > 0 && current !== recovery ? (
          <TextButton onClick={() => setChosen(recovery)}>{t('mfa.use-recovery')}</TextButton>
        ) : null}
        <TextButton onClick={() => signOut('local')}>{t('mfa.leave')}</TextButton>
      </Stack>
    </Shell>
  );
}

type Go = (work: () => ReturnType<typeof verifyFactor>) => Promise<undefined>;

/** Without the keys that this browser, at this address, cannot use. */
function usable(factors: readonly Factor[]): readonly Factor[] {
  return factors.filter((factor) => factor.factor_type !== 'webauthn' || supportsKeys());
}

function wayText({ factor_type, friendly_name: name }: Factor): string {
  if (factor_type === 'totp') return t('mfa.use-totp', { name: name || t('mfa.unnamed') });
  if (factor_type === 'phone') return t('mfa.use-phone', { name: name || t('factor.phone') });
  return t('mfa.use-key', { name: name || t('factor.webauthn') });
}

function TotpForm({ factor, go }: { factor: Factor; go: Go }) {
  const { brand } = usePageConfig();
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), totpLength);
      if (code.length !== totpLength) {
        return [{ text: t('field.code-missing', { length: totpLength }), fieldId: codeId }];
      }
      return go(() => verifyFactor(factor.id, code));
    },
    { mfa_verification_failed: codeId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <p>{t('mfa.intro', { length: totpLength, name: brand.name })}</p>
      <CodeField
        id={codeId}
        length={totpLength}
        error={submit.errorAt(codeId)}
        onComplete={(form) => submit.run(form)}
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
    </Form>
  );
}

/** A message costs something: it is sent when somebody asks for it. */
function PhoneForm({ factor, go }: { factor: Factor; go: Go }) {
  const [challengeId, setChallengeId] = useState<string>();
  const send = useSubmit(async () => {
    setChallengeId((await challengeFactor(factor.id)).id);
    return undefined;
  });
  if (challengeId !== undefined) {
    // What was typed, and what was wrong with it, is of the message before.
    return <PhoneCodeForm key={challengeId} factor={factor} go={go} challengeId={challengeId} send={send} />;
  }
  return (
    <Form onSubmit={send.onSubmit} problems={send.problems}>
      <p>{t('mfa.phone-intro', { name: factor.friendly_name || t('factor.phone') })}</p>
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
  const name = factor.friendly_name || t('factor.phone');
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), length);
      if (code.length !== length) {
        return [{ text: t('field.code-missing', { length }), fieldId: codeId }];
      }
      return go(() => answerFactor(factor.id, challengeId, { code }));
    },
    { mfa_verification_failed: codeId, otp_expired: codeId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={[...submit.problems, ...send.problems]}>
      <p role="status">{t('mfa.phone-sent', { name, length })}</p>
      <CodeField
        id={codeId}
        length={length}
        error={submit.errorAt(codeId)}
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
  const submit = useSubmit(() => go(() => answerWithKey(factor.id)));
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <p>{t('mfa.key-intro', { name: factor.friendly_name || t('factor.webauthn') })}</p>
      <Submit busy={submit.busy}>{t('mfa.key-submit')}</Submit>
    </Form>
  );
}

function RecoveryForm({ go }: { go: Go }) {
  const submit = useSubmit(async (field) => {
    const code = field('recovery-code').trim();
    if (code === '') return [{ text: t('mfa.recovery-missing'), fieldId: codeId }];
    try {
      return await go(() => spendRecoveryCode(code));
    } catch (error) {
      if (!(error instanceof ApiError) || error.code !== 'mfa_verification_failed') throw error;
      // Auth's one code for every wrong proof; the words for it speak of apps.
      const { requestId } = error;
      return [{ text: t('mfa.recovery-wrong'), fieldId: codeId, code: error.code, requestId }];
    }
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <p>{t('mfa.recovery-intro')}</p>
      <TextInput
        id={codeId}
        name="recovery-code"
        size="md"
        label={t('mfa.recovery-code')}
        placeholder="abcd-efgh-ijkl-mnop"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        error={submit.errorAt(codeId)}
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
    </Form>
  );
}
