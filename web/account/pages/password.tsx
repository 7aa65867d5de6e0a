import { IconMail } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useLocation } from 'wouter';
import { describedBy } from '../../ui/described-by.tsx';
import type { Problem } from '../../ui/error-summary.tsx';
import { PasswordField } from '../../ui/password-field.tsx';
import { WithAddresses } from '../addresses.tsx';
import { takeProblem } from '../carried-problem.ts';
import { useFlow } from '../flow.ts';
import { startCode } from '../form/pending.ts';
import { useTypedAddress } from '../form/typed-address.ts';
import { useSubmit } from '../form/use-submit.ts';
import { useLeaving } from '../leaving.ts';
import { mark } from '../methods/mark.tsx';
import { PasskeyButton } from '../methods/passkey-button.tsx';
import { goOn } from '../next.ts';
import { usePageConfig } from '../page-config.ts';
import classes from '../parts.module.css';
import { Aside, Divider, Form, PageLink, Submit, SubtleButton } from '../parts.tsx';
import { signIn } from '../password-sign-in.ts';
import { useSession } from '../session.ts';
import { introId, Shell } from '../shell.tsx';
import { t } from '../text.ts';
import { inWords } from '../texts.ts';
import { toOrganization } from '../to-organization.ts';
import { AlreadySignedIn } from './already-signed-in.tsx';

const passwordId = 'password';
const fieldOf = { invalid_credentials: passwordId };

/** Asks for the password for the address that was typed in the first step. */
export function PasswordPage() {
  const state = useSession();
  const address = useTypedAddress();
  const { search, again, adds } = useFlow();
  const { offers } = usePageConfig();
  const [, navigate] = useLocation();
  const [leaving, setLeaving] = useState(false);
  const [problems, setProblems] = useState<readonly Problem[]>([]);
  useEffect(() => {
    if (address === '' && !leaving) navigate(`/sign-in${search}`, { replace: true });
  }, [address, leaving, search, navigate]);
  if (state.status === 'signed-in' && !leaving && !again && !adds) {
    return (
      <Shell page="page.welcome-back">
        <AlreadySignedIn user={state.session.user} problems={problems} />
      </Shell>
    );
  }
  return (
    <Shell
      page="page.password"
      intro={
        <span className={classes.who}>
          <WithAddresses text={address} />
          <PageLink to="sign-in">{t('password.change')}</PageLink>
        </span>
      }
    >
      <PasswordForm address={address} onLeave={setLeaving} onProblems={setProblems} />
      {/* The link is shown for every address, so it doesn't reveal whether the address belongs to an account. */}
      {offers.signUp && !again ? (
        <div data-part="signUp">
          <Aside>
            {t('sign-in.new')} <PageLink to="sign-up">{t('sign-in.create')}</PageLink>
          </Aside>
        </div>
      ) : null}
    </Shell>
  );
}

function PasswordForm(props: {
  address: string;
  onLeave: (leaving: boolean) => void;
  onProblems: (problems: readonly Problem[]) => void;
}) {
  const { address } = props;
  const [, navigate] = useLocation();
  const { search } = useFlow();
  const { offers } = usePageConfig();
  const leaving = useLeaving(props.onLeave, props.onProblems);
  const submit = useSubmit(async (field) => {
    const password = field('password');
    if (password === '') return [{ text: t('field.password-missing'), fieldId: passwordId }];
    return leaving(async () =>
      goOn(await signIn(address, password).catch((error) => toOrganization(error, address)), navigate),
    );
  }, fieldOf);
  const send = (purpose: 'sign-in' | 'confirm') =>
    submit.run(undefined, async () => {
      await startCode({ email: address }, purpose).catch((error) => toOrganization(error, address));
      navigate(`/code${search}`);
      return undefined;
    });
  const [before, setBefore] = useState<readonly Problem[]>([]);
  useEffect(() => {
    const error = takeProblem();
    if (error !== undefined)
      void inWords(({ problemOf }) => problemOf(error, fieldOf)).then((one) => setBefore([one]));
  }, []);
  const problems = submit.problems.length > 0 || submit.busy ? submit.problems : before;
  const wrong = problems.find(({ fieldId }) => fieldId === passwordId)?.text;
  return (
    <Form onSubmit={submit.onSubmit} problems={problems}>
      {/* Password managers store the password for the address in this field. */}
      <input type="email" name="email" autoComplete="username" value={address} readOnly hidden />
      <PasswordField
        id={passwordId}
        name="password"
        size="md"
        label={t('field.password')}
        autoComplete="current-password"
        required
        withAsterisk={false}
        error={wrong}
        errorProps={{ role: 'alert' }}
        {...describedBy(introId)}
        data-first
      />
      <PageLink to="recover">{t('sign-in.forgot')}</PageLink>
      <Submit busy={submit.busy}>{t('sign-in.submit')}</Submit>
      {problems.some(({ code }) => code === 'email_not_confirmed') ? (
        <SubtleButton disabled={submit.busy} onClick={() => void send('confirm')}>
          {t('code.resend')}
        </SubtleButton>
      ) : null}
      <Divider>{t('sign-in.or')}</Divider>
      <SubtleButton
        type="submit"
        name="do"
        value="code"
        leftSection={<IconMail {...mark} />}
        disabled={submit.busy}
        onClick={(event) => {
          event.preventDefault();
          void send('sign-in');
        }}
      >
        {t('sign-in.send-code')}
      </SubtleButton>
      {offers.passkey ? (
        <div data-part="passkey">
          <PasskeyButton
            busy={submit.busy}
            onSignIn={(work) =>
              void submit.run(undefined, () => leaving(async () => goOn(await work(), navigate)))
            }
          />
        </div>
      ) : null}
      <PageLink to="sign-in">{t('sso.other')}</PageLink>
    </Form>
  );
}
