/** Shows which rows real users would gain and lose with a change to a table's policies, before the change is made. */
import { Button } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { ProblemBox } from '../../components/problem-box.tsx';
import {
  type Change,
  type ComparedAccess,
  type ComparedUser,
  compareChange,
  isWholeChange,
  type PolicyComparison,
  type SecuredTable,
} from './api.ts';
import classes from './comparison.module.css';
import { t } from './text.ts';

export function Comparison({ table, change }: { table: SecuredTable; change: Change }) {
  const key = JSON.stringify(change);
  const { mutate, data, error, isPending, variables } = useMutation({
    mutationFn: (wanted: string) => compareChange(table, JSON.parse(wanted) as Change),
  });
  // The result of an earlier version of the change would be misleading.
  const isCurrent = variables === key;
  return (
    <section className={classes.comparison} aria-label={t('policies.compare-title')}>
      <div>
        <Button
          size="xs"
          variant="default"
          loading={isPending}
          disabled={!isWholeChange(change)}
          onClick={() => mutate(key)}
        >
          {t('policies.compare')}
        </Button>
      </div>
      <div role="status">
        {isCurrent && data !== undefined ? <Differences comparison={data} /> : null}
        {isCurrent && data !== undefined ? null : <p className={classes.dim}>{t('policies.compare-hint')}</p>}
      </div>
      {isCurrent && error !== null ? <ProblemBox error={error} /> : null}
    </section>
  );
}

const differs = ({ gained, lost }: ComparedAccess): boolean => gained > 0 || lost > 0;

function Differences({ comparison: { users, allUsers, rows, allRows } }: { comparison: PolicyComparison }) {
  const changed = users.filter(({ accesses, error }) => error !== null || accesses.some(differs));
  const same = users.length - changed.length;
  const signedIn = users.filter(({ id }) => id !== null).length;
  return (
    <>
      <p className={classes.scope}>
        {allRows === null
          ? t('policies.compare-rows', { rows })
          : t('policies.compare-sample', { rows, all: allRows })}{' '}
        {signedIn === allUsers
          ? t('policies.compare-users', { users: signedIn })
          : t('policies.compare-some-users', { users: signedIn, all: allUsers })}
      </p>
      {changed.length === 0 ? <p>{t('policies.compare-none')}</p> : null}
      <ul className={classes.users}>
        {changed.map((user) => (
          <li key={user.id ?? ''}>
            <UserDifference user={user} />
          </li>
        ))}
      </ul>
      {changed.length > 0 && same > 0 ? (
        <p className={classes.dim}>{t('policies.compare-same', { users: same })}</p>
      ) : null}
    </>
  );
}

function UserDifference({ user: { id, name, accesses, error } }: { user: ComparedUser }) {
  return (
    <>
      <strong className={classes.name}>{id === null ? t('policies.compare-anonymous') : name}</strong>
      {error === null ? null : <p className={classes.lost}>{t('policies.compare-error', { error })}</p>}
      {accesses.filter(differs).map((access) => (
        <AccessDifference key={access.access} access={access} />
      ))}
    </>
  );
}

function AccessDifference({
  access: { access, before, after, gained, lost, gainedKeys, lostKeys },
}: {
  access: ComparedAccess;
}) {
  return (
    <div className={classes.access}>
      <span>{t(`policies.compare-access.${access}`, { before, after })}</span>
      {gained === 0 ? null : (
        <span className={classes.gained}>
          {t('policies.compare-gained', { rows: gained })}
          <Keys keys={gainedKeys} count={gained} />
        </span>
      )}
      {lost === 0 ? null : (
        <span className={classes.lost}>
          {t('policies.compare-lost', { rows: lost })}
          <Keys keys={lostKeys} count={lost} />
        </span>
      )}
    </div>
  );
}

function Keys({ keys, count }: { keys: readonly string[]; count: number }) {
  if (keys.length === 0) return null;
  return <span className={classes.keys}>{` (${keys.join(', ')}${count > keys.length ? ', …' : ''})`}</span>;
}
