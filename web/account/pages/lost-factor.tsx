/** Shows the ways in for users who can't use their second step: recovery codes, a removal after a wait, or support. */
import { useEffect, useState } from 'react';
import { callApi } from '../../lib/api.ts';
import { formatDateTime } from '../../lib/i18n.ts';
import { Notice } from '../../ui/notice.tsx';
import { post } from '../account-api.ts';
import { hostOf } from '../flow.ts';
import { usePageConfig } from '../page-config.ts';
import { Form, LinkButton, Submit, SubtleButton, TextButton, Waiting } from '../parts.tsx';
import { t } from '../text.ts';
import { useSubmit } from '../use-submit.ts';

/** The state of the request to remove the second factors (`src/auth/flows/factor-removals.ts`). */
interface Removal {
  readonly state: 'unavailable' | 'available' | 'requested' | 'waiting';
  readonly reason?: 'sign_in' | 'recent_change';
  readonly dueMs?: number;
  readonly waitMs: number;
}

const hourMs = 3_600_000;
const removalUrl = '/account/api/factor-removal';

export function LostFactor(props: {
  email: string;
  hasCodes: boolean;
  onUseCode: () => void;
  onBack: () => void;
}) {
  const { brand } = usePageConfig();
  const [removal, setRemoval] = useState<Removal>();
  const load = async (): Promise<void> => setRemoval(await callApi<Removal>(removalUrl));
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state is loaded once
  useEffect(() => {
    // If the request fails, the page still leads to support.
    load().catch(() => setRemoval({ state: 'unavailable', waitMs: 0 }));
  }, []);
  const ask = useSubmit(async () => {
    await post('factor-removal', {});
    await load();
    return undefined;
  });
  const cancel = useSubmit(async () => {
    await post('factor-removal/cancel', {});
    await load();
    return undefined;
  });
  return (
    <>
      {props.hasCodes ? (
        <SubtleButton onClick={props.onUseCode}>{t('mfa.use-recovery')}</SubtleButton>
      ) : (
        <p>{t('lost.no-codes')}</p>
      )}
      {removal === undefined ? <Waiting /> : null}
      {removal?.state === 'available' ? (
        <Form onSubmit={ask.onSubmit} problems={ask.problems}>
          <p>{t('lost.removal', { hours: hoursOf(removal), email: props.email })}</p>
          <Submit busy={ask.busy}>{t('lost.request')}</Submit>
        </Form>
      ) : null}
      {removal?.state === 'requested' ? (
        <Form onSubmit={ask.onSubmit} problems={ask.problems}>
          <Notice tone="info">{t('lost.requested', { email: props.email })}</Notice>
          <SubtleButton type="submit" loading={ask.busy}>
            {t('lost.resend')}
          </SubtleButton>
        </Form>
      ) : null}
      {removal?.state === 'waiting' ? (
        <Form onSubmit={cancel.onSubmit} problems={cancel.problems}>
          <Notice tone="info">{t('lost.waiting', { when: formatDateTime(removal.dueMs ?? 0) })}</Notice>
          <SubtleButton type="submit" loading={cancel.busy}>
            {t('lost.cancel')}
          </SubtleButton>
        </Form>
      ) : null}
      {removal?.reason === 'sign_in' ? <p>{t('lost.other-sign-in')}</p> : null}
      {removal?.reason === 'recent_change' ? <p>{t('lost.recent', { hours: hoursOf(removal) })}</p> : null}
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
    </>
  );
}

const hoursOf = ({ waitMs }: Removal): number => Math.round(waitMs / hourMs);
