/** The project's settings by section. Changes are reviewed before they are written. */
import { Button, NativeSelect } from '@mantine/core';
import { IconSettings } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { useMay } from '../../api/session.ts';
import { Cards } from '../../components/card.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import list from '../../components/list.module.css';
import { PageHead } from '../../components/page.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { useUnsaved } from '../../components/unsaved.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import {
  type Applied,
  type Change,
  keyOf,
  type Section,
  type Setting,
  type SettingValue,
  settingsQuery,
} from './api.ts';
import { Mails } from './messages.tsx';
import classes from './page.module.css';
import { Review } from './review.tsx';
import { Running } from './running.tsx';
import { SectionCard } from './section-card.tsx';
import { t } from './text.ts';

const route = getRouteApi('/app/settings');

/** The name of the group with email and text message templates, which is shown next to the groups of settings. */
const messagesGroup = 'messages';

/** Returns the first part of the section's path. Sections are grouped by this part. */
const groupOf = ({ path }: Section): string => path[0] ?? '';

export function SettingsPage() {
  const { section, search, mail } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data, error } = useQuery(settingsQuery);
  const [changes, setChanges] = useState<ReadonlyMap<string, Change>>(new Map());
  const [isReviewing, setReviewing] = useState(false);
  const [applied, setApplied] = useState<Applied>();
  const { question } = useUnsaved(changes.size > 0, () => undefined, 'page');
  const [text, setText] = useDebounced(search ?? '', (next) => {
    void navigate({
      search: ({ search: _previous, ...rest }) => (next === '' ? rest : { ...rest, search: next }),
      replace: true,
    });
  });
  const groups = [...new Set(data?.sections.map(groupOf))];
  const group = section ?? 'auth';
  const shown = data === undefined ? [] : sectionsOf(data.sections, group, search);
  const change = (setting: Setting, value: SettingValue | null): void =>
    setChanges((previous) => {
      const next = new Map(previous);
      const isBack =
        JSON.stringify(value) === JSON.stringify(setting.value) && setting.isSet === (value !== null);
      if (isBack) next.delete(keyOf(setting));
      else next.set(keyOf(setting), { file: setting.file, path: setting.path, value });
      return next;
    });
  return (
    <>
      <PageHead title={t('settings.title')}>
        <div className={list.tools}>
          <SearchInput label={t('settings.search')} value={text} width="toolbar" onChange={setText} />
          <NativeSelect
            size="xs"
            aria-label={t('settings.sections')}
            value={group}
            data={[
              { value: messagesGroup, label: t('settings.messages') },
              ...groups.map((value) => ({ value, label: value === '' ? t('settings.other') : value })),
            ]}
            onChange={(event) => void navigate({ search: { section: event.currentTarget.value } })}
          />
        </div>
      </PageHead>
      <Cards>
        {error === null ? null : <ProblemBox error={error} />}
        <Running mayWrite={mayWrite} applied={applied} />
        {group === messagesGroup && search === undefined ? (
          <Mails
            chosen={mail}
            mayWrite={mayWrite}
            onChoose={(next) => void navigate({ search: { section: messagesGroup, mail: next } })}
          />
        ) : data === undefined ? (
          error === null ? (
            <SkeletonLines lines={12} />
          ) : null
        ) : shown.length === 0 ? (
          <EmptyState
            icon={<IconSettings size={22} stroke={1.75} />}
            title={t('settings.none')}
            text={t('settings.search')}
          />
        ) : (
          shown.map((one) => (
            <SectionCard
              key={`${one.file} ${one.path.join('.')}`}
              section={one}
              changes={changes}
              mayWrite={mayWrite}
              onChange={change}
            />
          ))
        )}
      </Cards>
      {changes.size === 0 ? null : (
        <div className={classes.bar}>
          <span role="status">{t('settings.changes', { count: changes.size })}</span>
          <Button size="compact-sm" variant="default" onClick={() => setChanges(new Map())}>
            {t('settings.discard')}
          </Button>
          <Button size="compact-sm" onClick={() => setReviewing(true)}>
            {t('settings.review')}
          </Button>
        </div>
      )}
      {question}
      {isReviewing && data !== undefined ? (
        <Review
          changes={[...changes.values()]}
          stamps={data.stamps}
          onClose={() => setReviewing(false)}
          onWritten={(result) => {
            setReviewing(false);
            setApplied(result);
            setChanges(new Map());
          }}
        />
      ) : null}
    </>
  );
}

/** Returns the sections in a group, or the search results from all groups. */
function sectionsOf(
  sections: readonly Section[],
  group: string,
  search: string | undefined,
): readonly Section[] {
  if (search === undefined) return sections.filter((one) => groupOf(one) === group);
  const wanted = search.toLowerCase();
  return sections
    .map((one) => ({
      ...one,
      settings: one.settings.filter(({ path, help }) =>
        `${path.join('.')} ${help}`.toLowerCase().includes(wanted),
      ),
    }))
    .filter(({ settings }) => settings.length > 0);
}
