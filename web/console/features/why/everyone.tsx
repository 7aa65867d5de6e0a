/** Lists everyone who can access the row of a question, grouped by their access and by the policies that decide it. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type Everyone, everyoneWithAccess, type Question, type UserAccess } from './api.ts';
import classes from './everyone.module.css';
import { t } from './text.ts';

/** The maximum number of users of a group whose names are shown. */
const shownUsers = 20;

export function EveryoneWithAccess({ question }: { question: Question }) {
  const { mutate, data, error, isPending } = useMutation({ mutationFn: () => everyoneWithAccess(question) });
  return (
    <section className={classes.everyone} aria-label={t('why.everyone-title')}>
      <div>
        <Button size="compact-sm" variant="default" loading={isPending} onClick={() => mutate()}>
          {t('why.everyone')}
        </Button>
      </div>
      <div role="status">{data === undefined ? null : <Groups everyone={data} />}</div>
      {error === null ? null : <ProblemBox error={error} />}
    </section>
  );
}

function Groups({ everyone: { users, allUsers } }: { everyone: Everyone }) {
  const signedIn = users.filter(({ id }) => id !== null).length;
  return (
    <>
      <ul className={classes.groups}>
        {grouped(users).map((group) => (
          <li key={group[0]?.id ?? ''}>
            <Group users={group} />
          </li>
        ))}
      </ul>
      {signedIn < allUsers ? (
        <p className={classes.dim}>{t('why.everyone-some', { users: signedIn, all: allUsers })}</p>
      ) : null}
    </>
  );
}

function Group({ users }: { users: readonly UserAccess[] }) {
  const [first] = users;
  if (first === undefined) return null;
  const names = users
    .slice(0, shownUsers)
    .map(({ id, name }) => (id === null ? t('why.everyone-anonymous') : name));
  return (
    <>
      <strong>{accessText(first)}</strong>
      <p className={classes.dim}>{reasonText(first)}</p>
      <p className={classes.names}>
        {names.join(', ')}
        {users.length > names.length ? t('why.everyone-more', { users: users.length - names.length }) : ''}
      </p>
    </>
  );
}

function accessText({ allowed, error }: UserAccess): string {
  if (error !== null) return t('why.everyone-fails');
  if (!allowed.select) return t('why.everyone-none');
  if (allowed.update && allowed.delete) return t('why.everyone-all');
  if (allowed.update) return t('why.everyone-update');
  return t(allowed.delete ? 'why.everyone-delete' : 'why.everyone-select');
}

function reasonText({ allowed, security, holdsSelect, allowedBy, hiddenBy, error }: UserAccess): string {
  if (error !== null) return error;
  if (!holdsSelect) return t('why.everyone-no-privilege');
  if (security !== 'on') return t(`why.everyone-security.${security}`);
  if (allowed.select)
    return t('why.everyone-by', { policies: allowedBy.join(', '), count: allowedBy.length });
  return hiddenBy.length > 0
    ? t('why.everyone-hidden', { policies: hiddenBy.join(', '), count: hiddenBy.length })
    : t('why.everyone-no-policy');
}

/** Returns groups of users whose access has the same reasons. Users with more access are listed first. */
function grouped(users: readonly UserAccess[]): UserAccess[][] {
  const groups = new Map<string, UserAccess[]>();
  for (const user of users) {
    const { id: _id, name: _name, ...access } = user;
    const key = JSON.stringify(access);
    groups.set(key, [...(groups.get(key) ?? []), user]);
  }
  const extent = (group: readonly UserAccess[]): number =>
    Object.values(group[0]?.allowed ?? {}).filter(Boolean).length;
  return [...groups.values()].sort((a, b) => extent(b) - extent(a));
}
