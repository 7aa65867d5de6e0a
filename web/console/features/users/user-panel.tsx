/** Shows a user's details, sign-in methods, sessions, metadata and actions. */

import { Button, Textarea } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../../lib/api.ts';
import { Copyable } from '../../../ui/copyable.tsx';
import { userQuery } from '../../api/queries.ts';
import { fetchConsole, useMay } from '../../api/session.ts';
import type { User } from '../../api/types.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { JsonBlock } from '../../components/json-block.tsx';
import { BackToList } from '../../components/missing-note.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { useDirty } from '../../components/unsaved.tsx';
import { ApiKeys } from './api-keys.tsx';
import { Beside, type BesideProps } from './beside.tsx';
import { Events } from './events.tsx';
import { jsonObjectOf } from './json-object.ts';
import { Sessions } from './sessions.tsx';
import { SignInMethods } from './sign-in-methods.tsx';
import { t } from './text.ts';
import { useUserCall } from './use-user-call.ts';
import { UserActions } from './user-actions.tsx';
import { isBanned, isUntilLifted, nameOf } from './user-name.ts';
import classes from './user-panel.module.css';

export function UserPanel({
  id,
  previous,
  next,
  onOpen,
  onClose,
}: { id: string } & Omit<BesideProps, 'title' | 'children'>) {
  const { data, error } = useQuery(userQuery(id));
  return (
    <Beside
      title={data === undefined ? t('users.user') : nameOf(data)}
      previous={previous}
      next={next}
      onOpen={onOpen}
      onClose={onClose}
    >
      {error === null ? null : (
        <ProblemBox error={error}>
          {error instanceof ApiError && error.code === 'not_found' ? <BackToList onBack={onClose} /> : null}
        </ProblemBox>
      )}
      {data === undefined ? (
        error === null ? (
          <SkeletonLines lines={8} />
        ) : null
      ) : (
        <Details user={data} onClose={onClose} />
      )}
    </Beside>
  );
}

function Details({ user, onClose }: { user: User; onClose: () => void }) {
  const queryClient = useQueryClient();
  const mayWrite = useMay('write');
  const contactConfirmedAt = user.email_confirmed_at ?? user.phone_confirmed_at ?? undefined;

  return (
    <div className={classes.details}>
      {mayWrite ? (
        <UserActions
          user={user}
          onDeleted={() => {
            onClose();
            queryClient.removeQueries({ queryKey: userQuery(user.id).queryKey });
          }}
        />
      ) : null}
      <Facts>
        <Fact label={t('users.id')}>
          <Copyable value={user.id} what={t('users.id')} />
        </Fact>
        <Fact label={t('users.email')}>
          {user.email ? <Copyable value={user.email} what={t('users.email')} /> : t('users.none')}
        </Fact>
        <Fact label={t('users.phone')}>{user.phone ? `+${user.phone}` : t('users.none')}</Fact>
        <Fact label={t('users.confirmed')}>
          {contactConfirmedAt === undefined ? t('users.not-yet') : <Moment at={contactConfirmedAt} />}
        </Fact>
        {contactConfirmedAt === undefined && user.invited_at ? (
          <Fact label={t('users.invited-at')}>
            <Moment at={user.invited_at} />
          </Fact>
        ) : null}
        {user.banned_until && isBanned(user.banned_until) ? (
          <Fact label={t('users.banned-until')}>
            {isUntilLifted(user.banned_until) ? t('users.until-lifted') : <Moment at={user.banned_until} />}
          </Fact>
        ) : null}
        <Fact label={t('users.created')}>
          <Moment at={user.created_at} />
        </Fact>
        <Fact label={t('users.last-seen')}>
          {user.last_sign_in_at ? <Moment at={user.last_sign_in_at} /> : t('users.never')}
        </Fact>
      </Facts>
      <SignInMethods user={user} />
      <Sessions user={user} />
      <ApiKeys user={user} />
      <Events user={user} />
      <Metadata user={user} field="app_metadata" />
      <Metadata user={user} field="user_metadata" />
    </div>
  );
}

/** Shows a user's metadata as JSON, which can be edited as a whole. */
function Metadata({ user, field }: { user: User; field: 'app_metadata' | 'user_metadata' }) {
  const mayWrite = useMay('write');
  const [text, setText] = useState<string>();
  const [isBad, setBad] = useState(false);
  const { mutate, isPending, error } = useUserCall(user.id, () => setText(undefined));
  const title = t(field === 'app_metadata' ? 'users.app-metadata' : 'users.user-metadata');
  const value = user[field] ?? {};
  const [begun, setStarted] = useState('');
  useDirty(text !== undefined && text !== begun && !isPending);

  function save(edited: string): void {
    const parsed = jsonObjectOf(edited);
    setBad(parsed === undefined);
    if (parsed !== undefined)
      mutate(() => fetchConsole('PATCH /users/:id', { params: { id: user.id }, body: { [field]: parsed } }));
  }

  return (
    <section>
      <div className={classes.sectionHead}>
        <h3 className={classes.title}>{title}</h3>
        {mayWrite && text === undefined ? (
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`${t('users.edit')}: ${title}`}
            onClick={() => {
              setStarted(JSON.stringify(value, null, 2));
              setText(JSON.stringify(value, null, 2));
            }}
          >
            {t('users.edit')}
          </Button>
        ) : null}
      </div>
      {text === undefined ? (
        <JsonBlock value={value} what={title} />
      ) : (
        <form
          className={classes.editor}
          onSubmit={(event) => {
            event.preventDefault();
            if (!isPending) save(text);
          }}
        >
          {error === null ? null : <ProblemBox error={error} />}
          <Textarea
            aria-label={title}
            autosize={false}
            rows={8}
            spellCheck={false}
            autoFocus
            classNames={{ input: classes.code }}
            error={isBad ? t('users.not-json') : undefined}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <div className={classes.buttons}>
            <Button size="compact-sm" variant="default" onClick={() => setText(undefined)}>
              {t('confirm.cancel')}
            </Button>
            <Button size="compact-sm" type="submit" loading={isPending}>
              {t('users.save')}
            </Button>
          </div>
        </form>
      )}
    </section>
  );
}
