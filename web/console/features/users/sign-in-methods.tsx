/** Lists a user's identities and second factors. Each entry has a button that removes the identity or the factor. */
import { ActionIcon } from '@mantine/core';
import { IconLinkOff, IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Moment } from '../../components/moment.tsx';
import { Tag } from '../../components/tag.tsx';
import { t } from './text.ts';
import { useUserCall } from './use-user-call.ts';
import { nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

interface Removal {
  readonly run: () => Promise<void>;
  readonly title: string;
  readonly text: string;
}

export function SignInMethods({ user }: { user: User }) {
  const mayWrite = useMay('write');
  const [removal, setRemoval] = useState<Removal>();
  const { mutate, isPending, error } = useUserCall(user.id, () => setRemoval(undefined));
  const { identities = [], factors = [] } = user;
  const name = nameOf(user);
  return (
    <>
      <Section
        title={t('users.identities')}
        isEmpty={identities.length === 0}
        none={t('users.no-identities')}
      >
        {identities.map(({ identity_id, provider, last_sign_in_at }) => (
          <li key={identity_id}>
            <span>{provider}</span>
            <span className={classes.rowEnd}>
              {last_sign_in_at && !isAddress(provider) ? (
                <span className={classes.dim}>
                  {t('users.identity-used')} <Moment at={last_sign_in_at} relative />
                </span>
              ) : null}
              {mayWrite && identities.length > 1 ? (
                <RemoveButton
                  label={t('users.unlink', { provider })}
                  icon={<IconLinkOff size={16} aria-hidden />}
                  onClick={() =>
                    setRemoval({
                      run: () =>
                        fetchConsole('DELETE /users/:id/identities/:identity', {
                          params: { id: user.id, identity: identity_id },
                        }),
                      title: t('users.unlink', { provider }),
                      text: t('users.unlink-text', { name, provider }),
                    })
                  }
                />
              ) : null}
            </span>
          </li>
        ))}
      </Section>
      <Section title={t('users.factors')} isEmpty={factors.length === 0} none={t('users.no-factors')}>
        {factors.map(({ id, factor_type, friendly_name, status }) => {
          const factor = friendly_name || factorName(factor_type);
          return (
            <li key={id}>
              <span className={classes.clip}>{factor}</span>
              <span className={classes.rowEnd}>
                <Tag tone={status === 'verified' ? 'success' : 'warning'}>{status}</Tag>
                {mayWrite ? (
                  <RemoveButton
                    label={t('users.remove-factor', { factor })}
                    icon={<IconTrash size={16} aria-hidden />}
                    onClick={() =>
                      setRemoval({
                        run: () =>
                          fetchConsole('DELETE /users/:id/factors/:factor', {
                            params: { id: user.id, factor: id },
                          }),
                        title: t('users.remove-factor', { factor }),
                        text: t('users.remove-factor-text', { name }),
                      })
                    }
                  />
                ) : null}
              </span>
            </li>
          );
        })}
      </Section>
      {removal === undefined ? null : (
        <Confirm
          title={removal.title}
          action={removal.title}
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate(removal.run)}
          onClose={() => setRemoval(undefined)}
        >
          <p>{removal.text}</p>
        </Confirm>
      )}
    </>
  );
}

/**
 * For identities with an email address or a phone number, the auth service doesn't record when a password or code was
 * last used.
 */
const isAddress = (provider: string): boolean => provider === 'email' || provider === 'phone';

function RemoveButton({ label, icon, onClick }: { label: string; icon: ReactNode; onClick: () => void }) {
  return (
    <ActionIcon variant="subtle" color="gray" aria-label={label} title={label} onClick={onClick}>
      {icon}
    </ActionIcon>
  );
}

function Section({
  title,
  isEmpty,
  none,
  children,
}: {
  title: string;
  isEmpty: boolean;
  none: string;
  children: ReactNode;
}) {
  return (
    <section>
      <h3 className={classes.title}>{title}</h3>
      {isEmpty ? <p className={classes.dim}>{none}</p> : <ul className={classes.list}>{children}</ul>}
    </section>
  );
}

const factorNames = ['totp', 'phone', 'webauthn'] as const;

function factorName(type: string): string {
  const known = factorNames.find((each) => each === type);
  return known === undefined ? type : t(`users.factor-${known}`);
}
