/** Lists the folders and files in a folder. */
import { Checkbox } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconFile, IconFolder } from '@tabler/icons-react';
import { queryOptions, useQueries } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import lists from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import type { FileSort, FolderEntry } from './api.ts';
import classes from './folder-view.module.css';
import { printSize } from './sizes.ts';
import { t } from './text.ts';

export function Entries({
  bucket,
  entries,
  folder,
  openFile,
  selected,
  onToggle,
  onToggleAll,
}: {
  bucket: string;
  entries: readonly FolderEntry[];
  folder: string;
  openFile: string | undefined;
  /** The names of the selected entries. Undefined if the operator can't select entries. */
  selected: ReadonlySet<string> | undefined;
  onToggle: (name: string) => void;
  onToggleAll: () => void;
}) {
  const thumbnails = useThumbnails(bucket, entries);
  const selectedHere = entries.filter(({ name }) => selected?.has(name)).length;
  return (
    <table className={lists.table}>
      <caption className="visually-hidden">{t('files.name')}</caption>
      <thead>
        <tr>
          {selected === undefined ? null : (
            <th scope="col" className={classes.check}>
              <Checkbox
                size="xs"
                aria-label={t('files.select-page')}
                checked={selectedHere === entries.length}
                indeterminate={selectedHere > 0 && selectedHere < entries.length}
                onChange={onToggleAll}
              />
            </th>
          )}
          <SortHead sort="name">{t('files.name')}</SortHead>
          <th scope="col" className={lists.wide}>
            {t('files.type')}
          </th>
          <SortHead sort="size" className={classes.number}>
            {t('files.size')}
          </SortHead>
          <SortHead sort="updated_at" className={lists.wide}>
            {t('files.changed')}
          </SortHead>
        </tr>
      </thead>
      <tbody>
        {entries.map((entry) => {
          const name = entry.name.slice(folder.length);
          const isFolder = entry.id === null;
          const { size, mimetype } = entry.metadata ?? {};
          return (
            <tr
              key={entry.name}
              data-open={entry.name === openFile || undefined}
              data-selected={selected?.has(entry.name) || undefined}
            >
              {selected === undefined ? null : (
                <td className={classes.check}>
                  <Checkbox
                    size="xs"
                    aria-label={t('files.select', { name })}
                    checked={selected.has(entry.name)}
                    onChange={() => onToggle(entry.name)}
                  />
                </td>
              )}
              <td>
                <Link
                  from="/storage"
                  to="/storage"
                  search={({ search: _previous, file: _open, ...rest }) =>
                    isFolder ? { ...rest, folder: entry.name } : { ...rest, folder, file: entry.name }
                  }
                  className={`${lists.main} ${classes.entry}`}
                >
                  {isFolder ? (
                    <span className={classes.thumbnail}>
                      <IconFolder size={18} stroke={1.75} aria-hidden />
                    </span>
                  ) : (
                    <Thumbnail link={thumbnails[entry.name]} />
                  )}
                  <span className={classes.name}>{name}</span>
                </Link>
              </td>
              <td className={`${lists.wide} ${lists.dim}`}>{isFolder ? t('files.folder') : mimetype}</td>
              <td className={`${classes.number} ${lists.dim}`}>
                {size === undefined ? '' : printSize(size)}
              </td>
              <td className={`${lists.wide} ${lists.dim}`}>
                {entry.updated_at === null ? null : <Moment at={entry.updated_at} relative />}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** Shows a thumbnail of the image, or an icon for other files and for images that can't be shown. */
function Thumbnail({ link }: { link: string | undefined }) {
  const [failed, setFailed] = useState<string>();
  if (link === undefined || failed === link)
    return (
      <span className={classes.thumbnail}>
        <IconFile size={16} stroke={1.75} aria-hidden />
      </span>
    );
  return (
    <img
      className={classes.thumbnail}
      src={link}
      alt=""
      loading="lazy"
      decoding="async"
      crossOrigin="anonymous"
      referrerPolicy="no-referrer"
      onError={() => setFailed(link)}
    />
  );
}

const route = getRouteApi('/app/storage');

/** A column header that sorts the files on the server. Pressing the header again reverses the order. */
function SortHead({
  sort,
  className,
  children,
}: {
  sort: FileSort;
  className?: string | undefined;
  children: ReactNode;
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isSorted = (search.sort ?? 'name') === sort;
  const order = search.order ?? 'asc';
  // By default, names are sorted from A to Z, sizes from largest to smallest, and times from newest to oldest.
  const next = isSorted ? (order === 'asc' ? 'desc' : 'asc') : sort === 'name' ? 'asc' : 'desc';
  const Arrow = order === 'asc' ? IconArrowUp : IconArrowDown;
  return (
    <th
      scope="col"
      className={className}
      aria-sort={isSorted ? (order === 'asc' ? 'ascending' : 'descending') : 'none'}
    >
      <button
        type="button"
        className={classes.sort}
        onClick={() =>
          void navigate({
            search: ({ sort: _sort, order: _order, ...rest }) => ({
              ...rest,
              ...(sort === 'name' ? {} : { sort }),
              ...(next === 'asc' ? {} : { order: next }),
            }),
            replace: true,
          })
        }
      >
        {children}
        {isSorted ? <Arrow size={13} aria-hidden /> : null}
      </button>
    </th>
  );
}

const batchSize = 50;
/** The maximum age of the links, which is shorter than their lifetime. */
const staleMs = 25 * 60_000;

interface Picture {
  readonly path: string;
  readonly type: string;
  readonly size: number;
}

const thumbnailsQuery = (bucket: string, files: readonly Picture[]) =>
  queryOptions({
    queryKey: ['thumbnails', bucket, files],
    queryFn: async ({ signal }) =>
      (
        await fetchConsole('POST /storage/buckets/:bucket/thumbnails', {
          params: { bucket },
          body: { files },
          signal,
        })
      ).links,
    staleTime: staleMs,
    gcTime: staleMs,
    retry: false,
  });

/** Returns the links by path. */
function useThumbnails(bucket: string, entries: readonly FolderEntry[]): Readonly<Record<string, string>> {
  const pictures = entries.flatMap(({ id, name, metadata }) => {
    const { mimetype: type = '', size = 0 } = metadata ?? {};
    return id !== null && type.startsWith('image/') ? [{ path: name, type, size }] : [];
  });
  const batches = Array.from({ length: Math.ceil(pictures.length / batchSize) }, (_, index) =>
    pictures.slice(index * batchSize, (index + 1) * batchSize),
  );
  return useQueries({
    queries: batches.map((files) => thumbnailsQuery(bucket, files)),
    combine: (results) =>
      Object.assign({}, ...results.map(({ data = {} }) => data)) as Record<string, string>,
  });
}
