import { Button } from '@mantine/core';
import { IconUserCircle, IconUserPlus } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { mark } from '../methods/mark.tsx';
import classes from '../parts.module.css';
import { Form, wide } from '../parts.tsx';
import { Shell } from '../shell.tsx';
import { t } from './text.ts';

const key = '%PLINTH_ACCOUNT_KEY%';
const name = '%PLINTH_ACCOUNT_NAME%';

const icon = <IconUserCircle {...mark} />;
const look = {
  variant: 'default',
  size: 'md',
  fullWidth: true,
  classNames: wide,
  leftSection: icon,
} as const;

const Label = ({ text, note }: { text: string; note: string }) => (
  <span>
    <WithAddresses text={text} /> <span className={classes.note}>{note}</span>
  </span>
);

/**
 * A row for an account in the list of accounts. Each state of an account has its own row. For each account in the
 * browser, the server copies the row that matches the account's state.
 */
const Row = (props: { state: string; children: ReactNode; action: string; of?: string }) => (
  <li data-state={props.state}>
    {props.children}
    <button
      type="submit"
      name="remove"
      value={key}
      className={classes.link}
      aria-label={`${props.action}: ${props.of ?? name}`}
    >
      {props.action}
    </button>
  </li>
);

/** The action that the visitor has just completed on this page. */
export type AccountsDone = 'one' | 'all';

/** Lists the accounts in this browser. Works without scripts. */
export function Accounts({ done }: { done?: AccountsDone }) {
  const chosen = { type: 'submit', name: 'account', value: key } as const;
  const as = t('accounts.continue', { name });
  return (
    <Shell page={'page.accounts' as 'page.sign-in'} intro="%PLINTH_INTRO%">
      {done === undefined ? null : (
        <div role="status">
          <Notice tone="success">{t(done === 'all' ? 'accounts.all-out' : 'accounts.one-out')}</Notice>
        </div>
      )}
      <Form onSubmit={() => {}} problems={[]}>
        <ul className={classes.accounts} data-list="accounts">
          <Row state="current" action={t('accounts.sign-out')}>
            <Button {...look} {...chosen}>
              <Label text={as} note={t('accounts.current')} />
            </Button>
          </Row>
          <Row state="in" action={t('accounts.sign-out')}>
            <Button {...look} {...chosen}>
              <Label text={as} note={t('accounts.in')} />
            </Button>
          </Row>
          <Row state="guest" action={t('accounts.sign-out')} of={t('accounts.guest-name')}>
            <Button {...look} {...chosen}>
              <Label text={t('accounts.guest')} note={t('accounts.in')} />
            </Button>
          </Row>
          <Row state="out" action={t('accounts.forget')}>
            <Button {...look} {...chosen}>
              <Label text={as} note={t('accounts.out')} />
            </Button>
          </Row>
          <Row state="link" action={t('accounts.forget')}>
            <Button {...look} component="a" href="/account/with?provider=%PLINTH_ACCOUNT_WAY%">
              <Label text={as} note={t('accounts.out')} />
            </Button>
          </Row>
        </ul>
        <Button
          component="a"
          href="/account/sign-in?add=1"
          variant="default"
          size="md"
          fullWidth
          classNames={wide}
          leftSection={<IconUserPlus {...mark} />}
        >
          {t('accounts.add')}
        </Button>
        <a href="/account/security" className={`${classes.link} ${classes.all}`}>
          {t('accounts.manage')}
        </a>
        <button type="submit" name="do" value="all" className={`${classes.link} ${classes.several}`}>
          {t('accounts.sign-out-all')}
        </button>
      </Form>
    </Shell>
  );
}
