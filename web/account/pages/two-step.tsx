import { IconDeviceMobile, IconKey, IconMessage } from '@tabler/icons-react';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { createQueryClient } from '../../lib/query.ts';
import { ErrorSummary } from '../../ui/error-summary.tsx';
import { Notice } from '../../ui/notice.tsx';
import { signOut } from '../account-api.ts';
import { useFlow } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { mark } from '../methods/mark.tsx';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import { Stack, SubtleButton, TextButton, Waiting } from '../parts.tsx';
import { addTexts, enrollments, type FactorKind, offeredKinds } from '../security/factor-kinds.tsx';
import { IdentityConfirmation, useFresh } from '../security/fresh.tsx';
import { RecoveryCodes } from '../security/recovery-codes.tsx';
import { needsSecondFactor, sessionClient, type User, useSession, verifiedFactors } from '../session.ts';
import { SessionFailed } from '../session-failed.tsx';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import classes from './two-step.module.css';

const queries = createQueryClient();
const steps = 3;

/**
 * Sets up the second factor that the project requires before the user can return to the app: the choice of a factor, its
 * set-up and the recovery codes.
 */
export function TwoStepPage() {
  const state = useSession();
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const mustStepUp = state.status === 'signed-in' && needsSecondFactor(state.session);
  useEffect(() => {
    if (state.status === 'signed-out') navigate(`/sign-in${search}`, { replace: true });
    if (mustStepUp) navigate(`/mfa${search}`, { replace: true });
  }, [state.status, mustStepUp, search, navigate]);
  if (state.status !== 'signed-in' || mustStepUp) {
    return (
      <Shell page="page.two-step">
        {state.status === 'failed' ? <SessionFailed error={state.error} /> : <Waiting />}
      </Shell>
    );
  }
  return (
    <QueryClientProvider client={queries}>
      <IdentityConfirmation session={state.session}>
        <Steps key={state.session.user.id} user={state.session.user} />
      </IdentityConfirmation>
    </QueryClientProvider>
  );
}

function Steps({ user }: { user: User }) {
  const [chosen, setChosen] = useState<FactorKind>();
  const [, navigate] = useLocation();
  const leave = useSubmit(async () => {
    await goOn(sessionClient().state(), navigate);
    return undefined;
  });
  if (verifiedFactors(user).length > 0) {
    return (
      <Step page="page.two-step-codes" step={3}>
        <ErrorSummary problems={leave.problems} />
        <RecoveryCodes user={user} isLastStep onKept={() => void leave.run(undefined)} />
        <TextButton disabled={leave.busy} onClick={() => void leave.run(undefined)}>
          {t('recovery-used.later')}
        </TextButton>
      </Step>
    );
  }
  if (chosen === undefined) return <Choice onChoose={setChosen} />;
  const Enrollment = enrollments[chosen];
  return (
    <Step page="page.two-step-prove" step={2} text={addTexts[chosen]()}>
      <Enrollment onClose={(isReady) => (isReady ? undefined : setChosen(undefined))} />
    </Step>
  );
}

const icons: Readonly<Record<FactorKind, ReactNode>> = {
  totp: <IconDeviceMobile {...mark} />,
  webAuthn: <IconKey {...mark} />,
  phone: <IconMessage {...mark} />,
};

const texts: Readonly<Record<FactorKind, () => string>> = {
  totp: () => t('two-step.totp'),
  webAuthn: () => t('two-step.key'),
  phone: () => t('two-step.phone'),
};

function Choice({ onChoose }: { onChoose: (kind: FactorKind) => void }) {
  const { brand, factors } = usePageConfig();
  const fresh = useFresh();
  const kinds = offeredKinds(factors);
  return (
    <Step page="page.two-step" step={1} text={t('two-step.intro', { name: brand.name })}>
      {kinds.length === 0 ? <Notice tone="warning">{t('two-step.none')}</Notice> : null}
      <ul className={classes.kinds}>
        {kinds.map((kind) => (
          <li key={kind}>
            <SubtleButton leftSection={icons[kind]} onClick={() => fresh(() => onChoose(kind))}>
              {addTexts[kind]()}
            </SubtleButton>
            <p>{texts[kind]()}</p>
          </li>
        ))}
      </ul>
      <Stack>
        <TextButton onClick={() => signOut('local')}>{t('mfa.leave')}</TextButton>
      </Stack>
    </Step>
  );
}

function Step(props: {
  page: 'page.two-step' | 'page.two-step-prove' | 'page.two-step-codes';
  step: number;
  text?: string;
  children: ReactNode;
}) {
  const { page, step, text, children } = props;
  return (
    <Shell
      page={page}
      intro={
        <>
          <span className={classes.progress}>{t('two-step.progress', { step, steps })}</span> {text}
        </>
      }
    >
      <div className={classes.bar} aria-hidden>
        {Array.from({ length: steps }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps have a fixed order
          <span key={index} data-done={index < step} />
        ))}
      </div>
      {children}
    </Shell>
  );
}
