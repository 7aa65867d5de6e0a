/** The extensions page, which lists the database's extensions, and installs, updates and drops them. */
import { ActionIcon, Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import list from '../../components/list.module.css';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Tag } from '../../components/tag.tsx';
import { type ExtensionRow, extensionsQuery } from './api.ts';
import classes from './page.module.css';
import { ExtensionPanel, type OpenPanel } from './panels.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/database/extensions');

export function ExtensionsPage() {
  const { data, error } = useQuery(extensionsQuery);
  const { filter = '' } = route.useSearch();
  const navigate = route.useNavigate();
  const [open, setOpen] = useState<OpenPanel>();
  const mayWrite = useMay('write');
  const onOpen = mayWrite ? setOpen : undefined;
  const found = (data?.extensions ?? []).filter((extension) => matches(extension, filter));
  const installed = found.filter((extension) => extension.installed !== null);
  const available = found.filter((extension) => extension.installed === null);
  return (
    <>
      <PageHead title={t('nav.extensions')}>
        <SearchInput
          label={t('extensions.search')}
          value={filter}
          // The history entry is replaced, because otherwise the Back button would undo the search letter by letter.
          onChange={(value) =>
            void navigate({ search: value === '' ? {} : { filter: value }, replace: true })
          }
          width="toolbar"
          autoComplete="off"
        />
      </PageHead>
      <div className={list.scroll}>
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : found.length === 0 ? (
          <p className={list.none}>{t('extensions.no-results')}</p>
        ) : (
          <>
            {installed.length === 0 ? null : (
              <Group title={t('extensions.installed')} extensions={installed} onOpen={onOpen} />
            )}
            {available.length === 0 ? null : (
              <Group title={t('extensions.available')} extensions={available} onOpen={onOpen} />
            )}
          </>
        )}
      </div>
      {open === undefined || data === undefined ? null : (
        <ExtensionPanel
          key={`${open.kind}${open.extension.name}`}
          open={open}
          schemas={data.schemas}
          onClose={() => setOpen(undefined)}
        />
      )}
    </>
  );
}

function matches({ name, comment }: ExtensionRow, search: string): boolean {
  const words = search.toLowerCase().split(/\s+/);
  const text = `${name} ${comment ?? ''}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

interface GroupProps {
  readonly extensions: readonly ExtensionRow[];
  /** Undefined if the operator's role doesn't allow changes. */
  readonly onOpen: ((open: OpenPanel) => void) | undefined;
}

function Group({ title, extensions, onOpen }: GroupProps & { readonly title: string }) {
  // On other servers, it isn't known where an extension comes from.
  const isOwn = extensions.some(({ source }) => source !== null);
  return (
    <section aria-label={title}>
      <h2 className={classes.group}>{title}</h2>
      <table className={`${list.table} ${classes.table}`}>
        <thead>
          <tr>
            <th scope="col">{t('extensions.name')}</th>
            <th scope="col">{t('extensions.version')}</th>
            <th scope="col" className={list.wide}>
              {t('extensions.schema')}
            </th>
            <th scope="col" className={list.wide}>
              {t('extensions.about')}
            </th>
            {isOwn ? (
              <th scope="col" className={list.wide}>
                {t('extensions.source')}
              </th>
            ) : null}
            {onOpen === undefined ? null : (
              <th scope="col" className={list.actions}>
                <span className="visually-hidden">{t('extensions.actions')}</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {extensions.map((extension) => (
            <Row key={extension.name} extension={extension} isOwn={isOwn} onOpen={onOpen} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function Row({
  extension,
  isOwn,
  onOpen,
}: {
  extension: ExtensionRow;
  isOwn: boolean;
  onOpen: ((open: OpenPanel) => void) | undefined;
}) {
  const { name, comment, version, schema, installed, source, advice } = extension;
  return (
    <tr>
      <td>
        <span className={list.named}>
          <span className={list.main}>{name}</span>
          {installed?.isPlaceholder === true ? (
            <Tag tone="warning">{t('extensions.placeholder')}</Tag>
          ) : installed !== null && version === null ? (
            <Tag tone="danger">{t('extensions.unavailable')}</Tag>
          ) : null}
        </span>
        <span className={`${classes.small} ${classes.about}`}>{comment}</span>
        {advice === null ? null : <p className={classes.advice}>{sentence(advice)}</p>}
      </td>
      <td className={list.dim}>
        {installed?.isPlaceholder === true ? '—' : (installed?.version ?? version)}
      </td>
      <td className={`${list.wide} ${list.dim}`}>{installed?.schema ?? schema ?? '—'}</td>
      <td className={`${list.wide} ${classes.about}`}>{comment}</td>
      {isOwn ? <td className={`${list.wide} ${list.dim}`}>{source ?? '—'}</td> : null}
      {onOpen === undefined ? null : (
        <td className={list.actions}>
          <RowActions extension={extension} onOpen={onOpen} />
        </td>
      )}
    </tr>
  );
}

function RowActions({ extension, onOpen }: { extension: ExtensionRow; onOpen: (open: OpenPanel) => void }) {
  const { name, version, installed } = extension;
  if (installed === null)
    return (
      <Button
        size="compact-sm"
        variant="default"
        aria-label={t('extensions.install-title', { name })}
        onClick={() => onOpen({ kind: 'install', extension })}
      >
        {t('extensions.install')}
      </Button>
    );
  return (
    <>
      {version === null || version === installed.version ? null : (
        <Button size="compact-sm" variant="default" onClick={() => onOpen({ kind: 'update', extension })}>
          {t('extensions.newer', { version })}
        </Button>
      )}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={t('extensions.drop', { name })}
        onClick={() => onOpen({ kind: 'drop', extension })}
      >
        <IconTrash size={15} aria-hidden />
      </ActionIcon>
    </>
  );
}

/** The server's advice starts with a lowercase letter, because it is also part of longer messages. */
const sentence = (advice: string): string => `${advice.charAt(0).toUpperCase()}${advice.slice(1)}.`;
