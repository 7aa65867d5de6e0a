/** Lists the folders and files in a folder. */
import { Checkbox } from '@mantine/core';
import { IconFile, IconFolder } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import lists from '../../components/list.module.css';
import { Moment } from '../../components/moment.tsx';
import type { FolderEntry } from './api.ts';
import classes from './folder-view.module.css';
import { printSize } from './sizes.ts';
import { SortHead } from './sort-head.tsx';
import { t } from './text.ts';
import { useThumbnails } from './thumbnails.ts';

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
