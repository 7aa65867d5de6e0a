import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import { signOut, verifyFactor } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { currentFlow, endAdding, securityPath, useFlow } from '../flow.ts';
import { digitsOf } from '../form/fields.ts';
import { useSubmit } from '../form/use-submit.ts';
import { challengeFactor, submitFactor, submitKeyFactor, submitRecoveryCode } from '../methods/api.ts';
import { supportsKeys } from '../methods/key-support.ts';
import { proving } from '../methods/proving.ts';
import { goOn } from '../next.ts';
import { type PageConfig, usePageConfig } from '../page-config.ts';
import partClasses from '../parts.module.css';
import { CodeField, Divider, Form, PageButton, PageLink, Stack, Submit, TextButton } from '../parts.tsx';
import {
  callAuth,
  type Factor,
  nameOf,
  needsSecondFactor,
  sessionClient,
  useSession,
  verifiedFactors,
} from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { LostFactor } from './lost-factor.tsx';

const codeId = 'code';
/** The number of digits in an authenticator app's code (RFC 6238). */
const totpLength = 6;
const recovery = 'recovery';
/** The view for users who can't use any of their factors. */
const lost = 'lost';

/**
 * Asks for the second factor if the user signed in with only the first factor, or to confirm the user's identity before
 * a sensitive change.
 */
export function MfaPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const page = usePageConfig();
  const [chosen, setChosen] = useState<string>();
  /** The ID of the challenge whose code was sent to the selected phone. */
  const [challengeId, setChallengeId] = useState<string>();
  const [codesLeft, setCodesLeft] = useState(0);
  const [isLeaving, setLeaving] = useState(false);
  const [usedCode, setUsedCode] = useState(false);
  const isSignedIn = state.status === 'signed-in';
  const factors = isSignedIn ? usable(verifiedFactors(state.session.user)) : [];
  const isAgain = isSignedIn && new URLSearchParams(window.location.search).has('again');
  const isIdle =
    isSignedIn &&
    !isLeaving &&
    !usedCode &&
    !(isAgain && factors.length > 0) &&
    !needsSecondFactor(state.session);
  useEffect(() => {
    if (state.status === 'signed-out') navigate(`/sign-in${search}`, { replace: true });
    // A user who has already used a factor is asked whether to continue.
    const flow = currentFlow();
    const { redirectTo, next } = flow;
    const isHome = redirectTo === undefined && (next === undefined || next === 'security');
    if (isIdle) navigate(isHome ? securityPath(flow) : `/sign-in${endAdding().search}`, { replace: true });
  }, [state.status, isIdle, navigate, search]);
  useEffect(() => {
    if (!isSignedIn) return;
    callAuth<{ remaining: number }>('/factors/recovery-codes').then(
      ({ remaining }) => setCodesLeft(remaining),
      // If the number of remaining codes can't be loaded, all factors except recovery codes are offered.
      () => setCodesLeft(0),
    );
  }, [isSignedIn]);

  const current = chosen ?? factors[0]?.id;
  const factor = factors.find(({ id }) => id === current);
  const others = factors.filter(({ id }) => id !== current);
  const choose = (id: string): void => {
    setChosen(id);
    setChallengeId(undefined);
  };
  const intro =
    current === lost
      ? t('lost.intro')
      : current === recovery
        ? t('mfa.recovery-intro')
        : factor === undefined
          ? ''
          : introOf(factor, page, challengeId !== undefined, isSignedIn ? nameOf(state.session.user) : '');
  const go = async (work: () => ReturnType<typeof verifyFactor>): Promise<undefined> => {
    setLeaving(true);
    try {
      await goOn(await work(), navigate);
    } catch (error) {
      const now = sessionClient().state();
      // If the next step fails after the factor was used, the page remains open to show the error.
      if (now.status !== 'signed-in' || needsSecondFactor(now.session)) setLeaving(false);
      throw error;
    }
  };
  if (usedCode && isSignedIn && !needsSecondFactor(state.session)) {
    return <RecoveryUsed codesLeft={Math.max(0, codesLeft - 1)} go={go} />;
  }
  return (
    <Shell
      page={current === lost ? 'page.lost' : 'page.mfa'}
      intro={
        <span role="status">
          <WithAddresses text={intro} />
        </span>
      }
    >
      {isAgain ? <Notice tone="info">{t('mfa.again')}</Notice> : null}
      {isSignedIn && current === undefined ? <Notice tone="warning">{t('mfa.unusable')}</Notice> : null}
      {current === lost && isSignedIn ? (
        <LostFactor
          email={state.session.user.email}
          hasCodes={codesLeft > 0}
          onUseCode={() => choose(recovery)}
          onBack={() => setChosen(undefined)}
        />
      ) : null}
      {current === recovery ? <RecoveryForm onUse={setUsedCode} /> : null}
      {factor?.factor_type === 'totp' ? <TotpForm key={factor.id} factor={factor} go={go} /> : null}
      {factor?.factor_type === 'phone' ? (
        <PhoneForm
          key={factor.id}
          factor={factor}
          go={go}
          challengeId={challengeId}
          onSent={setChallengeId}
        />
      ) : null}
      {factor?.factor_type === 'webauthn' ? <KeyForm key={factor.id} factor={factor} go={go} /> : null}
      <Stack>
        {current !== lost && (others.length > 0 || (codesLeft > 0 && current !== recovery)) ? (
          <Divider>{t('sign-in.or')}</Divider>
        ) : null}
        {(current === lost ? [] : others).map((other) => (
          <TextButton key={other.id} onClick={() => choose(other.id)}>
            {factorText(other)}
          </TextButton>
        ))}
        {codesLeft > 0 && current !== recovery && current !== lost ? (
          <TextButton onClick={() => choose(recovery)}>{t('mfa.use-recovery')}</TextButton>
        ) : null}
        {isSignedIn && current !== lost ? (
          <TextButton onClick={() => choose(lost)}>{t('lost.open')}</TextButton>
        ) : null}
        {isAgain ? <PageLink to="security">{t('error.home')}</PageLink> : null}
        {isAgain ? null : (
          <a className={partClasses.link} href={`/account/accounts${search}`}>
            {t('sign-in.other')}
          </a>
        )}
        <TextButton onClick={() => signOut('local')}>{t('mfa.leave')}</TextButton>
      </Stack>
    </Shell>
  );
}

type Go = (work: () => ReturnType<typeof verifyFactor>) => Promise<undefined>;

/** Omits keys that can't be used in this browser or at this address. */
function usable(factors: readonly Factor[]): readonly Factor[] {
  return factors.filter((factor) => factor.factor_type !== 'webauthn' || supportsKeys());
}

/** Returns the instructions for using the factor. */
function introOf(
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

function factorText({ factor_type, friendly_name: name }: Factor): string {
  if (factor_type === 'totp') return t('mfa.use-totp', { name: name || t('mfa.unnamed') });
  if (factor_type === 'phone') return t('mfa.use-phone', { name: name || t('factor.phone') });
  return t('mfa.use-key', { name: name || t('factor.webauthn') });
}

function TotpForm({ factor, go }: { factor: Factor; go: Go }) {
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
      <CodeField
        id={codeId}
        isFirst
        length={totpLength}
        error={submit.errorAt(codeId)}
        onComplete={(form) => submit.run(form)}
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
    </Form>
  );
}

interface PhoneFormProps {
  readonly factor: Factor;
  readonly go: Go;
  readonly challengeId: string | undefined;
  readonly onSent: (challengeId: string) => void;
}

/** Sends a text message, but only when the user requests it, because each message costs money. */
function PhoneForm({ factor, go, challengeId, onSent }: PhoneFormProps) {
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
        return [{ text: t('field.code-missing', { length }), fieldId: codeId }];
      }
      const response = () => go(() => submitFactor(factor.id, challengeId, { code }));
      return proving(response, t('mfa.phone-wrong'), codeId);
    },
    { otp_expired: codeId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={[...submit.problems, ...send.problems]}>
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
  const submit = useSubmit(() => go(() => submitKeyFactor(factor.id)));
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <Submit busy={submit.busy}>{t('mfa.key-submit')}</Submit>
    </Form>
  );
}

/** Shown after a recovery code was used. The page reminds the user that the lost second step is still set up. */
function RecoveryUsed({ codesLeft, go }: { codesLeft: number; go: Go }) {
  const submit = useSubmit(() => go(async () => sessionClient().state()));
  return (
    <Shell page="page.recovery-used" intro={t('recovery-used.text', { left: codesLeft })}>
      <PageButton to="security">{t('recovery-used.replace')}</PageButton>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        <TextButton type="submit" disabled={submit.busy}>
          {t('recovery-used.later')}
        </TextButton>
      </Form>
    </Shell>
  );
}

function RecoveryForm({ onUse }: { onUse: (isUsed: boolean) => void }) {
  const submit = useSubmit(async (field) => {
    const code = field('recovery-code').trim();
    if (code === '') return [{ text: t('mfa.recovery-missing'), fieldId: codeId }];
    const use = async (): Promise<undefined> => {
      // The state must be set before the session changes. Otherwise, the page would continue to the app.
      onUse(true);
      await submitRecoveryCode(code).catch((error: unknown) => {
        onUse(false);
        throw error;
      });
      return undefined;
    };
    return proving(use, t('mfa.recovery-wrong'), codeId);
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
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
