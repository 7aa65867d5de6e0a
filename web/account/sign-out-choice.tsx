import { Button } from '@mantine/core';
import { signOut } from './account-api.ts';
import { Form } from './form/form.tsx';
import { useSubmit } from './form/use-submit.ts';
import classes from './parts.module.css';
import { Submit, wide } from './parts.tsx';
import type { AppSessions } from './security/own-sessions.ts';
import { t } from './text.ts';

/**
 * Asks whether to sign out of the apps in this browser too. A sign-out never ends sessions that the page doesn't name.
 */
export function SignOutChoice(props: { apps: readonly AppSessions[]; onStay?: () => void }) {
  const names = props.apps.map(({ name }) => name);
  const all = useSubmit(async () => {
    await signOut('browser');
    return undefined;
  });
  const one = useSubmit(async () => {
    await signOut('local', names);
    return undefined;
  });
  const isBusy = all.busy || one.busy;
  return (
    <Form onSubmit={all.onSubmit} problems={[...all.problems, ...one.problems]} label={t('sign-out.title')}>
      <p>{t('sign-out.apps')}</p>
      <ul className={classes.steps}>
        {names.map((name) => (
          <li key={name}>
            <bdi>{name}</bdi>
          </li>
        ))}
      </ul>
      <Submit busy={all.busy}>{t('sign-out.all')}</Submit>
      <Button
        variant="default"
        size="md"
        fullWidth
        classNames={wide}
        disabled={isBusy}
        onClick={() => one.run(undefined)}
      >
        {t('sign-out.account')}
      </Button>
      {props.onStay === undefined ? null : (
        <Button variant="subtle" fullWidth disabled={isBusy} onClick={props.onStay}>
          {t('sign-out.stay')}
        </Button>
      )}
    </Form>
  );
}
