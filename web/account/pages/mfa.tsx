import { TextInput } from '@mantine/core';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import { signOut } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { currentFlow, endAdding, securityPath, useFlow } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { submitRecoveryCode } from '../methods/api.ts';
import { FactorForm, factorCodeId, factorText, type Go, introOf, usable } from '../methods/factor-forms.tsx';
import { proving } from '../methods/proving.ts';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import partClasses from '../parts.module.css';
import { Divider, Form, PageButton, PageLink, Stack, Submit, TextButton } from '../parts.tsx';
import {
  callAuth,
  nameOf,
  needsSecondFactor,
  sessionClient,
  useSession,
  verifiedFactors,
} from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { LostFactor } from './lost-factor.tsx';

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
  const go: Go = async (work) => {
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
      {factor === undefined ? null : (
        <FactorForm factor={factor} go={go} challengeId={challengeId} onSent={setChallengeId} />
      )}
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
    if (code === '') return [{ text: t('mfa.recovery-missing'), fieldId: factorCodeId }];
    const use = async (): Promise<undefined> => {
      // The state must be set before the session changes. Otherwise, the page would continue to the app.
      onUse(true);
      await submitRecoveryCode(code).catch((error: unknown) => {
        onUse(false);
        throw error;
      });
      return undefined;
    };
    return proving(use, t('mfa.recovery-wrong'), factorCodeId);
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <TextInput
        id={factorCodeId}
        name="recovery-code"
        size="md"
        label={t('mfa.recovery-code')}
        placeholder="abcd-efgh-ijkl-mnop"
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        required
        withAsterisk={false}
        error={submit.errorAt(factorCodeId)}
      />
      <Submit busy={submit.busy}>{t('mfa.submit')}</Submit>
    </Form>
  );
}
