import { ActionIcon } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { type SavedQuery, savedQuery } from './api.ts';
import classes from './library.module.css';
import { t } from './library-text.ts';
import type { Matcher, OpenQuery } from './library-types.ts';
import { contentOf } from './tabs.ts';

/** Lists the operator's own queries and the queries that other operators share, grouped by folder. */
export function Saved({ matches, onOpen }: { matches: Matcher; onOpen: OpenQuery }) {
  const { data, error } = useQuery(savedQuery);
  const [removing, setRemoving] = useState<SavedQuery>();
  const shown = data?.filter(({ name, folder, text, owner }) => matches(name, folder, text, owner)) ?? [];
  const folders = [...new Set(shown.map(({ folder }) => folder))];
  return (
    <>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined || shown.length > 0 ? null : (
        <p className={classes.none}>{t(data.length === 0 ? 'library.saved-none' : 'library.nothing')}</p>
      )}
      {folders.map((folder) => (
        <section key={folder} className={classes.section}>
          <h2 className={classes.title}>{folder === '' ? t('library.saved') : folder}</h2>
          <ul className={classes.list}>
            {shown
              .filter((each) => each.folder === folder)
              .map((each) => (
                <Entry key={each.id} query={each} onOpen={onOpen} onRemove={() => setRemoving(each)} />
              ))}
          </ul>
        </section>
      ))}
      {removing === undefined ? null : (
        <RemoveQuery query={removing} onClose={() => setRemoving(undefined)} />
      )}
    </>
  );
}

function Entry({ query, onOpen, onRemove }: { query: SavedQuery; onOpen: OpenQuery; onRemove: () => void }) {
  const { name, owner, savedAt, isShared, mayChange } = query;
  return (
    <li className={classes.entry}>
      <button type="button" className={classes.open} onClick={() => onOpen(contentOf(query))}>
        <span className={classes.name}>{name}</span>
        <span className={classes.dim}>
          {t('library.by', { name: owner })} · <Moment at={savedAt} relative />
          {isShared ? null : (
            <>
              {' '}
              <Tag>{t('library.private')}</Tag>
            </>
          )}
        </span>
      </button>
      {mayChange ? (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('library.delete', { name })}
          onClick={onRemove}
        >
          <IconTrash size={15} aria-hidden />
        </ActionIcon>
      ) : null}
    </li>
  );
}

function RemoveQuery({ query: { id, name, isShared }, onClose }: { query: SavedQuery; onClose: () => void }) {
  const queryClient = useQueryClient();
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('DELETE /sql/saved/:id', { params: { id } }),
    onSuccess: onClose,
    onSettled: () => queryClient.invalidateQueries({ queryKey: savedQuery.queryKey }),
  });
  return (
    <Confirm
      title={t('library.delete-title', { name })}
      action={t('library.delete-action')}
      isBusy={isPending}
      error={error}
      onConfirm={() => mutate()}
      onClose={onClose}
    >
      {isShared ? t('library.delete-text') : null}
    </Confirm>
  );
}
