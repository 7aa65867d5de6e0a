import { type RefObject, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { Notice } from '../../ui/notice.tsx';
import { type Address, type CodePurpose, sendCode, verifyCode } from '../account-api.ts';
import { Agreement } from '../agreement.tsx';
import { currentFlow, endAdding, useFlow } from '../flow.ts';
import { digitsOf, looksLikeEmail, phoneOf } from '../form/fields.ts';
import { forgetCode, type Pending, pendingCode, rememberCode } from '../form/pending.ts';
import { useSubmit } from '../form/use-submit.ts';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import {
  CodeField,
  EmailField,
  Form,
  NumberAside,
  PageLink,
  PhoneField,
  Stack,
  Submit,
  SubtleButton,
  TextButton,
} from '../parts.tsx';
import { useSecondsUntil } from '../seconds-until.ts';
import { sessionClient, useSession } from '../session.ts';
import { Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { toOrganization } from '../to-organization.ts';
import { AlreadySignedIn } from './already-signed-in.tsx';

const emailId = 'email';
const phoneId = 'phone';
/** The length of a code that is sent by text message. */
const phoneCodeLength = 6;
const codeId = 'code';

/** Asks where to send the code, unless a code was just sent, and then asks for the code. */
export function CodePage() {
  const [pending, setPending] = useState<Pending>();
  const session = useSession();
  const { again, adds } = useFlow();
  const wantsRecovery = useLocation()[0] === '/recover';
  const [byPhone, setByPhone] = useState(false);
  const [isNew, setNew] = useState(false);
  const purpose: CodePurpose = wantsRecovery ? 'recover' : isNew ? 'sign-up' : 'sign-in';
  useLayoutEffect(() => {
    // During prerendering, the query and the tab's stored data aren't available.
    const query = new URLSearchParams(window.location.search);
    const wantsPhone = !wantsRecovery && query.get('by') === 'phone';
    setByPhone(wantsPhone);
    setNew(wantsPhone && query.get('purpose') === 'sign-up');
    const known = pendingCode();
    const isWanted = wantsRecovery
      ? known?.purpose === 'recover'
      : !wantsPhone || (known !== undefined && 'phone' in known.to);
    if (known !== undefined && isWanted) setPending(known);
  }, [wantsRecovery]);

  function change(next: Pending | undefined): void {
    if (next === undefined) forgetCode();
    else rememberCode(next);
    setPending(next);
  }

  if (pending !== undefined) return <CodeStep pending={pending} onChange={change} />;
  // The user may have returned from the app with the browser's back button. A signed-in user can still ask for a new
  // password.
  if (
    session.status === 'signed-in' &&
    session.session.user.is_anonymous !== true &&
    !wantsRecovery &&
    !again &&
    !adds
  ) {
    return (
      <Shell page="page.welcome-back">
        <AlreadySignedIn user={session.session.user} problems={[]} />
      </Shell>
    );
  }
  return <AddressStep purpose={purpose} byPhone={byPhone} onSent={change} />;
}

/**
 * The purposes whose first step has the heading of another page. All other purposes use the heading `page.code-ask`.
 */
const pages: Partial<Record<CodePurpose, 'page.recover' | 'page.sign-up'>> = {
  recover: 'page.recover',
  'sign-up': 'page.sign-up',
};

function AddressStep(props: { purpose: CodePurpose; byPhone: boolean; onSent: (pending: Pending) => void }) {
  const { purpose, byPhone, onSent } = props;
  const submit = useSubmit(async (field) => {
    let to: Address;
    if (byPhone) {
      const phone = phoneOf(field('phone'));
      if (phone === undefined) return [{ text: t('field.phone-wrong'), fieldId: phoneId }];
      to = { phone };
    } else {
      const email = field('email').trim();
      if (!looksLikeEmail(email)) {
        return [{ text: email === '' ? t('field.email-missing') : t('field.email-wrong'), fieldId: emailId }];
      }
      to = { email };
    }
    const { number } = await sendCode(to, purpose).catch((error: unknown) =>
      toOrganization(error, 'email' in to ? to.email : ''),
    );
    onSent({ to, purpose, sentAt: Date.now(), number });
    return undefined;
  });
  const intro = byPhone
    ? 'code.phone-intro'
    : purpose === 'recover'
      ? 'code.recover-intro'
      : 'code.sign-in-intro';
  return (
    <Shell page={pages[purpose] ?? 'page.code-ask'} intro={t(intro)}>
      <Form onSubmit={submit.onSubmit} problems={submit.problems}>
        {byPhone ? (
          <PhoneField id={phoneId} error={submit.errorAt(phoneId)} isFirst />
        ) : (
          <EmailField id={emailId} error={submit.errorAt(emailId)} keepsTyped isFirst />
        )}
        <Submit busy={submit.busy}>{t('code.send')}</Submit>
        {purpose === 'sign-up' ? <Agreement /> : null}
      </Form>
      <PageLink to="sign-in">{purpose === 'recover' ? t('code.back') : t('sso.other')}</PageLink>
    </Shell>
  );
}

function CodeStep({
  pending,
  onChange,
}: {
  pending: Pending;
  onChange: (next: Pending | undefined) => void;
}) {
  const { to, purpose } = pending;
  const { codeLength: mailLength } = usePageConfig();
  const isByPhone = 'phone' in to;
  const length = isByPhone ? phoneCodeLength : mailLength;
  const forAddress = purpose === 'confirm' ? 'code.sent-confirm' : 'code.sent';
  const text = isByPhone ? 'code.sent-phone' : pending.isNewDevice ? 'code.sent-new-device' : forAddress;
  const where = isByPhone ? { phone: `+${to.phone}` } : to;
  const isEntering = useRef(false);
  useSignedInElsewhere(isEntering);
  const isCanceled = useConfirmedElsewhere(pending, isEntering);
  const firstSentAt = useRef(pending.sentAt);
  useEffect(() => {
    // After another code was sent, the user continues with the field, not with the disabled button.
    if (pending.sentAt !== firstSentAt.current) document.getElementById(codeId)?.focus();
  }, [pending.sentAt]);
  return (
    <Shell page="page.code" intro={t(text, { ...where, length })}>
      {/* The key resets input and errors from the previous code. */}
      <CodeForm key={pending.sentAt} pending={pending} codeLength={length} isEntering={isEntering} />
      <div role="status">
        {pending.number === undefined ? null : isCanceled ? (
          <Notice tone="warning">{t('code.canceled')}</Notice>
        ) : (
          <NumberAside text={t('code.number', { number: pending.number })} number={pending.number} />
        )}
      </div>
      <Stack>
        <Resend pending={pending} onSent={onChange} />
        <TextButton onClick={() => onChange(undefined)}>
          {isByPhone ? t('code.other-number') : t('code.other')}
        </TextButton>
        {purpose === 'sign-in' ? <PageLink to="sign-in">{t('sso.other')}</PageLink> : null}
      </Stack>
    </Shell>
  );
}

/**
 * Detects that the link in the email was opened in another tab. If the link was opened, the code has already been used,
 * so the user is asked whether to continue. `isEntering` is true while this page itself signs the user in.
 */
function useSignedInElsewhere(isEntering: RefObject<boolean>): void {
  const { status } = useSession();
  const [, navigate] = useLocation();
  const wasOut = useRef(false);
  useEffect(() => {
    if (status === 'signed-out') wasOut.current = true;
    if (status !== 'signed-in' || !wasOut.current || isEntering.current) return;
    forgetCode();
    navigate(`/sign-in${endAdding().search}`, { replace: true });
  }, [status, isEntering, navigate]);
  useEffect(() => {
    // The server created the session while the other tab loaded its page, so that tab didn't send an event to this tab.
    const look = () => {
      if (sessionClient().state().status === 'signed-out') void sessionClient().load();
    };
    window.addEventListener('focus', look);
    return () => window.removeEventListener('focus', look);
  }, []);
}

/** Continues once the link in the email has been confirmed on another device. Returns whether the link was canceled. */
function useConfirmedElsewhere({ number }: Pending, isEntering: RefObject<boolean>): boolean {
  const [, navigate] = useLocation();
  const [isCanceled, setCanceled] = useState(false);
  useEffect(() => {
    if (number === undefined) return;
    const stop = new AbortController();
    setCanceled(false);
    void import('../form/waiting.ts')
      .then(({ waitForLink }) =>
        waitForLink(stop.signal, async (state, page) => {
          isEntering.current = true;
          forgetCode();
          if (page !== undefined) navigate(`/${page}${currentFlow().search}`);
          else await goOn(state, navigate);
        }),
      )
      .then(async (outcome) => {
        if (stop.signal.aborted) return;
        if (outcome === 'canceled') setCanceled(true);
        // The link was opened in another tab of this browser, so this tab may now have a session.
        if (outcome === 'none' && !isEntering.current) await sessionClient().load();
      });
    return () => stop.abort();
  }, [number, isEntering, navigate]);
  return isCanceled;
}

function CodeForm(props: { pending: Pending; codeLength: number; isEntering: RefObject<boolean> }) {
  const { pending, codeLength, isEntering } = props;
  const [, navigate] = useLocation();
  const { to, purpose } = pending;
  const submit = useSubmit(
    async (field) => {
      const code = digitsOf(field('code'), codeLength);
      if (code.length !== codeLength) {
        return [{ text: t('field.code-missing', { length: codeLength }), fieldId: codeId }];
      }
      isEntering.current = true;
      const { state, page } = await verifyCode(to, code, purpose).finally(() => {
        isEntering.current = sessionClient().state().status === 'signed-in';
      });
      forgetCode();
      if (page !== undefined) navigate(`/${page}${currentFlow().search}`);
      else await goOn(state, navigate);
      return undefined;
    },
    { otp_expired: codeId },
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <CodeField
        id={codeId}
        length={codeLength}
        error={submit.errorAt(codeId)}
        isFirst
        onComplete={(form) => submit.run(form)}
      />
      <Submit busy={submit.busy}>{t('code.submit')}</Submit>
    </Form>
  );
}

/**
 * A button that sends the code again. Until the auth service allows another code, the button is disabled and its label
 * is a countdown. Screen readers don't announce the countdown.
 */
function Resend({ pending, onSent }: { pending: Pending; onSent: (next: Pending) => void }) {
  const { resendAfter } = usePageConfig();
  const [done, setDone] = useState(false);
  const submit = useSubmit(async () => {
    const { number } = await sendCode(pending.to, pending.purpose);
    onSent({ ...pending, sentAt: Date.now(), number });
    setDone(true);
    return undefined;
  });
  const wait = useSecondsUntil(
    Math.max(pending.sentAt + resendAfter * 1000, ...submit.problems.map(({ retryAt }) => retryAt ?? 0)),
  );
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('code.resend')}>
      <div role="status">{done ? <Notice tone="success">{t('code.resent')}</Notice> : null}</div>
      <SubtleButton type="submit" loading={submit.busy} disabled={wait > 0}>
        {wait > 0 ? t('code.resend-in', { seconds: wait }) : t('code.resend')}
      </SubtleButton>
    </Form>
  );
}
