import { useLocation } from 'wouter';
import type { Problem } from '../../ui/error-summary.tsx';
import { WithAddresses } from '../addresses.tsx';
import { useDestination } from '../flow.ts';
import { useSubmit } from '../form/use-submit.ts';
import { goOn } from '../next.ts';
import { AccountsLink, Form, Submit } from '../parts.tsx';
import { nameOf, sessionClient, type User } from '../session.ts';
import { t } from '../text.ts';

export function AlreadySignedIn(props: { user: User; problems: readonly Problem[] }) {
  const { user } = props;
  const host = useDestination();
  const [, navigate] = useLocation();
  const submit = useSubmit(
    async () => {
      await goOn(sessionClient().state(), navigate);
      return undefined;
    },
    {},
    props.problems,
  );
  const who = nameOf(user);
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems}>
      <p>
        <WithAddresses text={who === '' ? t('sign-in.already-guest') : t('sign-in.already', { who })} />
      </p>
      <Submit busy={submit.busy}>
        {host === undefined ? t('sign-in.continue') : t('sign-in.continue-to', { host })}
      </Submit>
      <AccountsLink>{t('sign-in.other')}</AccountsLink>
    </Form>
  );
}
