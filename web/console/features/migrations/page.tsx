/** The Migrations page, which compares the files in the project with the database's history. */
import { Button } from '@mantine/core';
import { IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Fragment, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag, type TagTone } from '../../components/tag.tsx';
import { type Migration, migrationsQuery } from './api.ts';
import { ApplyPending } from './apply-pending.tsx';
import { DriftPanel } from './drift-panel.tsx';
import { MigrationPanel } from './migration-panel.tsx';
import classes from './migrations.module.css';
import { SquashPanel } from './squash-panel.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/migrations');

const tones: Readonly<Record<Migration['state'], TagTone>> = {
  applied: 'success',
  pending: 'info',
  changed: 'warning',
  missing: 'danger',
  recorded: 'success',
};

export function MigrationsPage() {
  const { version: openVersion } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data: listed, error } = useQuery(migrationsQuery);
  const data = listed?.migrations;
  const [isComparing, setComparing] = useState(false);
  const [squashing, setSquashing] = useState<readonly Migration[]>();
  const [isApplying, setApplying] = useState(false);
  const [applied, setApplied] = useState(0);
  const pending = data?.filter(({ state }) => state === 'pending') ?? [];
  // Files up to the first pending one can be squashed.
  const firstPending = pending[0]?.version;
  const squashable =
    data?.filter(
      ({ version, file }) => file !== null && (firstPending === undefined || version < firstPending),
    ) ?? [];
  const newest = data?.findLast(({ state }) => state !== 'pending')?.version;
  return (
    <>
      <PageHead title={t('nav.migrations')}>
        {listed === undefined ? null : (
          <Button size="xs" variant="default" onClick={() => setComparing(true)}>
            {t(mayWrite ? 'migrations.drift-check' : 'migrations.drift')}
          </Button>
        )}
        {mayWrite && listed?.writesFiles === true && squashable.length > 1 ? (
          <Button size="xs" variant="default" onClick={() => setSquashing(squashable)}>
            {t('migrations.squash')}
          </Button>
        ) : null}
        {data === undefined || data.length === 0 ? null : pending.length === 0 ? (
          <span className={classes.note}>{t('migrations.up-to-date')}</span>
        ) : mayWrite ? (
          <Button size="xs" onClick={() => setApplying(true)}>
            {t('migrations.apply', { count: pending.length })}
          </Button>
        ) : null}
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        <div role="status" className={classes.status}>
          {applied === 0 ? null : (
            <Notice tone="success">
              <p>{t('migrations.applied-count', { count: applied })}</p>
            </Notice>
          )}
        </div>
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={10} />
          ) : null
        ) : data.length === 0 ? (
          <EmptyState
            icon={<IconStack2 size={22} stroke={1.75} />}
            title={t('migrations.none-title')}
            text={t('migrations.none-text')}
          />
        ) : (
          <MigrationTable migrations={data} onOpen={(version) => void navigate({ search: { version } })} />
        )}
      </div>
      {isComparing ? (
        <DriftPanel writesFiles={listed?.writesFiles === true} onClose={() => setComparing(false)} />
      ) : null}
      {squashing === undefined ? null : (
        <SquashPanel migrations={squashing} onClose={() => setSquashing(undefined)} />
      )}
      {isApplying ? (
        <ApplyPending
          migrations={data ?? []}
          onClose={() => setApplying(false)}
          onApplied={(count) => {
            setApplying(false);
            setApplied(count);
          }}
        />
      ) : null}
      {openVersion === undefined || data === undefined ? null : (
        <MigrationPanel
          key={openVersion}
          migration={data.find(({ version }) => version === openVersion)}
          isNewest={openVersion === newest}
          onClose={() => void navigate({ search: {} })}
        />
      )}
    </>
  );
}

/** Text that wraps after underscores and slashes instead of in the middle of a word. */
function Breakable({ text }: { text: string }) {
  return text.split(/(?<=[_/])/).map((part, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text have no other identity
    <Fragment key={index}>
      {part}
      <wbr />
    </Fragment>
  ));
}

function MigrationTable({
  migrations,
  onOpen,
}: {
  migrations: readonly Migration[];
  onOpen: (version: string) => void;
}) {
  return (
    <table className={list.table}>
      <caption className="visually-hidden">{t('migrations.list')}</caption>
      <thead>
        <tr>
          <th scope="col">{t('migrations.version')}</th>
          <th scope="col">{t('migrations.name')}</th>
          <th scope="col">{t('migrations.state')}</th>
          <th scope="col" className={list.wide}>
            {t('migrations.file')}
          </th>
        </tr>
      </thead>
      <tbody>
        {migrations.toReversed().map(({ version, name, state, file, isOlder }) => (
          <tr key={version}>
            <td>
              <button
                type="button"
                className={`${list.main} ${classes.open}`}
                aria-label={t('migrations.open', { name: `${version} ${name}` })}
                onClick={() => onOpen(version)}
              >
                {version}
              </button>
            </td>
            <td className={classes.name}>
              <Breakable text={name} />
            </td>
            <td>
              <Tag tone={tones[state]} {...(isOlder ? { title: t('migrations.older') } : {})}>
                {t(`migrations.state-${state}`)}
              </Tag>
            </td>
            <td className={`${list.wide} ${list.dim} ${classes.file}`}>
              <Breakable text={file ?? ''} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
