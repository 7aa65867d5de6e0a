/** One user: who, how they sign in, what is known of them, and the way out. */
import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { userQuery } from '../../api/queries.ts';
import { callConsole, useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Confirm } from '../../components/confirm.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { Tag } from '../../components/tag.tsx';
import { t } from '../../text.ts';
import { nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

export function UserPanel({ id, onClose }: { id: string; onClose: () => void }) {
  const { data, error } = useQuery(userQuery(id));
  return (
    <SidePanel title={data === undefined ? t('users.user') : nameOf(data)} onClose={onClose}>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <Details user={data} onClose={onClose} />
      )}
    </SidePanel>
  );
}

function Details({ user, onClose }: { user: User; onClose: () => void }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const [isDeleting, setDeleting] = useState(false);
  const name = nameOf(user);
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => callConsole(`/users/${user.id}`, { method: 'DELETE' }),
    onSuccess: () => {
      onClose();
      queryClient.removeQueries({ queryKey: userQuery(user.id).queryKey });
      void queryClient.invalidateQueries({ queryKey: ['users'] });
    },
  });
  return (
    <div className={classes.details}>
      <dl className={classes.facts}>
        <Fact label={t('users.id')}>
          <Copyable value={user.id} what={t('users.id')} />
        </Fact>
        <Fact label={t('users.email')}>
          {user.email ? <Copyable value={user.email} what={t('users.email')} /> : t('users.none')}
        </Fact>
        <Fact label={t('users.phone')}>{user.phone ? `+${user.phone}` : t('users.none')}</Fact>
        <Fact label={t('users.confirmed')}>
          {user.email_confirmed_at ? <Moment at={user.email_confirmed_at} /> : t('users.not-yet')}
        </Fact>
        <Fact label={t('users.created')}>
          <Moment at={user.created_at} />
        </Fact>
        <Fact label={t('users.last-seen')}>
          {user.last_sign_in_at ? <Moment at={user.last_sign_in_at} /> : t('users.never')}
        </Fact>
      </dl>
      <Section
        title={t('users.identities')}
        isEmpty={(user.identities ?? []).length === 0}
        none={t('users.no-identities')}
      >
        {user.identities?.map(({ identity_id, provider, last_sign_in_at }) => (
          <li key={identity_id}>
            <span>{provider}</span>
            <span className={classes.dim}>
              {last_sign_in_at ? <Moment at={last_sign_in_at} relative /> : t('users.never')}
            </span>
          </li>
        ))}
      </Section>
      <Section
        title={t('users.factors')}
        isEmpty={(user.factors ?? []).length === 0}
        none={t('users.no-factors')}
      >
        {user.factors?.map(({ id, factor_type, friendly_name, status }) => (
          <li key={id}>
            <span>{friendly_name || factor_type}</span>
            <Tag tone={status === 'verified' ? 'success' : 'warning'}>{status}</Tag>
          </li>
        ))}
      </Section>
      <section>
        <h3 className={classes.title}>{t('users.app-metadata')}</h3>
        <JsonBlock value={user.app_metadata ?? {}} what={t('users.app-metadata')} />
      </section>
      <section>
        <h3 className={classes.title}>{t('users.user-metadata')}</h3>
        <JsonBlock value={user.user_metadata ?? {}} what={t('users.user-metadata')} />
      </section>
      {mayWrite ? (
        <div className={classes.danger}>
          <Button
            variant="light"
            color="red"
            size="sm"
            leftSection={<IconTrash size={16} aria-hidden />}
            onClick={() => setDeleting(true)}
          >
            {t('users.delete')}
          </Button>
        </div>
      ) : null}
      {isDeleting ? (
        <Confirm
          title={t('users.delete')}
          action={t('users.delete')}
          typed={name}
          isBusy={isPending}
          error={error}
          onConfirm={() => mutate()}
          onClose={() => setDeleting(false)}
        >
          <p>{t('users.delete-text', { name })}</p>
        </Confirm>
      ) : null}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
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
