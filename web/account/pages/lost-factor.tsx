/**
 * Shows the options for users who can't use their second step: recovery codes, removal after a waiting period, or
 * support.
 */
import { useEffect, useRef, useState } from 'react';
import { ApiError, callApi } from '../../lib/api.ts';
import { formatDateTime } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { post } from '../account-api.ts';
import { WithAddresses } from '../addresses.tsx';
import { hostOf } from '../flow.ts';
import { keepTyped } from '../form/typed-address.ts';
import { useSubmit } from '../form/use-submit.ts';
import { usePageConfig } from '../page-config.ts';
import { Form, LinkButton, Stack, Submit, SubtleButton, TextButton, Waiting } from '../parts.tsx';
import { sessionClient } from '../session.ts';
import { t } from '../text.ts';

/** The state of the request to remove the second factors (`src/services/auth/factors/removals.ts`). */
interface Removal {
  readonly state: 'unavailable' | 'available' | 'requested' | 'waiting';
  readonly reason?: 'sign_in' | 'recent_change';
  readonly dueMs?: number;
  readonly waitMs: number;
}

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const removalUrl = '/account/api/factor-removal';
/**
 * The interval at which the state is polled. The request is confirmed on another page, and the removal ends the
 * session.
 */
const pollMs = 5000;

export function LostFactor(props: {
  email: string;
  hasCodes: boolean;
  onUseCode: () => void;
  onBack: () => void;
}) {
  const { brand } = usePageConfig();
  const [removal, setRemoval] = useState<Removal>();
  /** Runs `work`. If the session has ended, continues to the sign-in page with the user's address. */
  const whileSignedIn = async (work: () => Promise<unknown>): Promise<undefined> => {
    try {
      await work();
      setRemoval(await callApi<Removal>(removalUrl));
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'not_signed_in')) throw error;
      keepTyped(props.email);
      await sessionClient().refresh();
    }
    return undefined;
  };
  const load = () => whileSignedIn(async () => undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is loaded once
  useEffect(() => {
    // If the request fails, the page still shows a way to contact support.
    load().catch(() => setRemoval({ state: 'unavailable', waitMs: 0 }));
  }, []);
  const top = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The button that opened this page no longer exists, so the heading receives focus.
    top.current?.closest('main')?.querySelector('h1')?.focus();
  }, []);
  const isPending = removal?.state === 'requested' || removal?.state === 'waiting';
  // biome-ignore lint/correctness/useExhaustiveDependencies: the timer needs only the state
  useEffect(() => {
    if (!isPending) return;
    // If a request fails, the timer sends the next request anyway.
    const timer = setInterval(() => void load().catch(() => {}), pollMs);
    return () => clearInterval(timer);
  }, [isPending]);
  const ask = useSubmit(() => whileSignedIn(() => post('factor-removal', {})));
  const cancel = useSubmit(() => whileSignedIn(() => post('factor-removal/cancel', {})));
  return (
    <Stack>
      <div ref={top} hidden />
      {props.hasCodes ? (
        <SubtleButton onClick={props.onUseCode}>{t('mfa.use-recovery')}</SubtleButton>
      ) : (
        <p>{t('lost.no-codes')}</p>
      )}
      {removal === undefined ? <Waiting /> : null}
      {removal?.state === 'available' ? (
        <Form onSubmit={ask.onSubmit} problems={ask.problems}>
          <p>
            <WithAddresses text={t('lost.removal', { wait: waitText(removal), email: props.email })} />
          </p>
          <Submit busy={ask.busy}>{t('lost.request')}</Submit>
        </Form>
      ) : null}
      {removal?.state === 'requested' ? (
        <Form onSubmit={ask.onSubmit} problems={ask.problems}>
          <State text={t('lost.requested', { email: props.email })} />
          <SubtleButton type="submit" loading={ask.busy}>
            {t('lost.resend')}
          </SubtleButton>
        </Form>
      ) : null}
      {removal?.state === 'waiting' ? (
        <Form onSubmit={cancel.onSubmit} problems={cancel.problems}>
          <State text={t('lost.waiting', { when: formatDateTime(removal.dueMs ?? 0) })} />
          <SubtleButton type="submit" loading={cancel.busy}>
            {t('lost.cancel')}
          </SubtleButton>
        </Form>
      ) : null}
      {removal?.reason === 'sign_in' ? <p>{t('lost.other-sign-in')}</p> : null}
      {removal?.reason === 'recent_change' ? <p>{t('lost.recent', { wait: waitText(removal) })}</p> : null}
      {removal === undefined ? null : brand.supportUrl === undefined ? (
        <p>{t('lost.operator', { host: hostOf(brand.appUrl) ?? brand.name })}</p>
      ) : (
        <>
          <p>{t('lost.support', { name: brand.name })}</p>
          <LinkButton isSubtle href={brand.supportUrl}>
            {t('lost.support-button')}
          </LinkButton>
        </>
      )}
      <TextButton onClick={props.onBack}>{t('lost.back')}</TextButton>
    </Stack>
  );
}

/**
 * The state of the request. When the text replaces a button that has the focus, the text receives the focus. Screen
 * readers then read it, and a second press of Enter doesn't press the next state's button.
 */
const State = ({ text }: { text: string }) => (
  <div role="status" tabIndex={-1} data-autofocus>
    <Notice tone="info">
      <p>
        <WithAddresses text={text} />
      </p>
    </Notice>
  </div>
);

const waitText = ({ waitMs }: Removal): string =>
  waitMs < hourMs
    ? t('lost.minutes', { count: Math.ceil(waitMs / minuteMs) })
    : t('lost.hours', { count: Math.round(waitMs / hourMs) });
