/** Lists foreign servers with their user mappings and tables. Values that could be secrets are never shown. */
import { ActionIcon, Button } from '@mantine/core';
import { IconServer, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { useMay } from '../../../api/session.ts';
import { EmptyState } from '../../../components/empty-state.tsx';
import { PageHead } from '../../../components/frame/page.tsx';
import { SkeletonLines } from '../../../components/frame/skeleton.tsx';
import list from '../../../components/list.module.css';
import { ProblemBox } from '../../../components/problem-box.tsx';
import type { SchemaChange } from '../../tables/schema/api.ts';
import { ChangePanel } from '../../tables/schema/change-panel.tsx';
import parts from '../parts.module.css';
import { type ForeignOption, type ForeignServerRow, foreignServersQuery } from './api.ts';
import { NewMapping, NewServer } from './foreign-forms.tsx';
import classes from './objects.module.css';
import { t } from './text.ts';

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'map'; readonly server: ForeignServerRow }
  | { readonly kind: 'review'; readonly change: SchemaChange };

export function ForeignServersPage() {
  const { data, error } = useQuery(foreignServersQuery);
  const [open, setOpen] = useState<Open>();
  const mayWrite = useMay('write');
  const close = (): void => setOpen(undefined);
  return (
    <>
      <PageHead title={t('foreign.title')}>
        {mayWrite && data !== undefined && data.wrappers.length > 0 ? (
          <Button size="compact-sm" onClick={() => setOpen({ kind: 'new' })}>
            {t('foreign.new')}
          </Button>
        ) : null}
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : data.servers.length === 0 ? (
          <EmptyState
            icon={<IconServer size={22} stroke={1.75} />}
            title={t('foreign.none')}
            text={t(data.wrappers.length === 0 ? 'foreign.no-wrapper' : 'foreign.none-text')}
          >
            {data.wrappers.length === 0 ? (
              <Link to="/database/extensions" search={{ filter: 'fdw' }}>
                {t('foreign.extensions')}
              </Link>
            ) : null}
          </EmptyState>
        ) : (
          data.servers.map((server) => (
            <Server
              key={server.name}
              server={server}
              onOpen={mayWrite && server.editable ? setOpen : undefined}
            />
          ))
        )}
      </div>
      {open?.kind === 'new' && data !== undefined ? (
        <NewServer wrappers={data.wrappers} onClose={close} />
      ) : null}
      {open?.kind === 'map' && data !== undefined ? (
        <NewMapping server={open.server} roles={data.roles} onClose={close} />
      ) : null}
      {open?.kind === 'review' ? (
        <ChangePanel title={t('foreign.change')} changes={[open.change]} startsWithReview onClose={close} />
      ) : null}
    </>
  );
}

function Server({
  server,
  onOpen,
}: {
  server: ForeignServerRow;
  onOpen: ((open: Open) => void) | undefined;
}) {
  const { name, wrapper, owner, options, mappings, tables } = server;
  return (
    <section aria-label={name} className={classes.section}>
      <div className={classes.head}>
        <h2 className={classes.title}>{name}</h2>
        <span className={list.dim}>{t('foreign.about', { wrapper, owner })}</span>
        {onOpen === undefined ? null : (
          <span className={classes.actions}>
            <Button size="compact-sm" variant="default" onClick={() => onOpen({ kind: 'map', server })}>
              {t('foreign.map')}
            </Button>
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onOpen({ kind: 'review', change: { kind: 'drop_server', server: name } })}
            >
              {t('objects.drop')}
            </Button>
          </span>
        )}
      </div>
      <table className={list.table}>
        <caption className="visually-hidden">{name}</caption>
        <thead>
          <tr>
            <th scope="col">{t('foreign.what')}</th>
            <th scope="col">{t('foreign.options')}</th>
            <th scope="col" className={list.actions}>
              <span className="visually-hidden">{t('objects.actions')}</span>
            </th>
          </tr>
        </thead>
        <tbody>
          <Row title={t('foreign.server')} options={options} />
          {mappings.map(({ role, options: mapped }) => (
            <Row
              key={role}
              title={t('foreign.mapping', { role: role === 'public' ? t('foreign.public') : role })}
              options={mapped}
            >
              {onOpen === undefined ? null : (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t('foreign.unmap', { role })}
                  onClick={() =>
                    onOpen({ kind: 'review', change: { kind: 'drop_user_mapping', server: name, role } })
                  }
                >
                  <IconX size={15} aria-hidden />
                </ActionIcon>
              )}
            </Row>
          ))}
          {tables.map((table) => (
            <Row
              key={`${table.schema}.${table.name}`}
              title={t('foreign.table', { table: `${table.schema}.${table.name}` })}
              options={table.options}
            />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({
  title,
  options,
  children,
}: {
  title: string;
  options: readonly ForeignOption[] | null;
  children?: ReactNode;
}) {
  return (
    <tr>
      <td>
        <span className={list.main}>{title}</span>
      </td>
      <td className={list.dim}>
        <Options options={options} />
      </td>
      <td className={list.actions}>{children}</td>
    </tr>
  );
}

function Options({ options }: { options: readonly ForeignOption[] | null }) {
  if (options === null) return <span className={classes.hidden}>{t('foreign.invisible')}</span>;
  if (options.length === 0) return '—';
  return (
    <span className={parts.tags}>
      {options.map(({ name, value }) => (
        <span key={name} className={parts.code}>
          {name} {value === null ? <span className={classes.hidden}>{t('foreign.hidden')}</span> : value}
        </span>
      ))}
    </span>
  );
}
