/** The library, which contains saved queries, the history and templates. The search covers all three. */

import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { fetchConsole, sessionQuery } from '../../api/session.ts';
import { SidePanel } from '../../components/frame/side-panel.tsx';
import { Moment } from '../../components/moment.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Tag } from '../../components/tag.tsx';
import { historyQuery } from './api.ts';
import classes from './library.module.css';
import { t } from './library-text.ts';
import type { Matcher, OpenQuery } from './library-types.ts';
import { Saved } from './saved-list.tsx';
import { templateGroups, templates } from './templates.ts';
import { t as page } from './text.ts';

const views = ['saved', 'templates', 'history'] as const;
type View = (typeof views)[number];

export function Library({ onOpen, onClose }: { onOpen: OpenQuery; onClose: () => void }) {
  const [view, setView] = useState<View>('saved');
  const [search, setSearch] = useState('');
  const matches = matcher(search);
  return (
    <SidePanel title={page('sql.library')} onClose={onClose}>
      <div className={classes.tools}>
        <SearchInput
          label={t('library.search')}
          value={search}
          onChange={setSearch}
          className={classes.search}
        />
        {/* biome-ignore lint/a11y/useSemanticElements: the buttons aren't fields of a form */}
        <div role="group" className={classes.views} aria-label={t('library.view')}>
          {views.map((each) => (
            <button
              key={each}
              type="button"
              className={classes.view}
              aria-pressed={view === each}
              onClick={() => setView(each)}
            >
              {t(`library.${each}`)}
            </button>
          ))}
        </div>
      </div>
      {view === 'saved' ? <Saved matches={matches} onOpen={onOpen} /> : null}
      {view === 'templates' ? <TemplateList matches={matches} onOpen={onOpen} /> : null}
      {view === 'history' ? <History matches={matches} onOpen={onOpen} /> : null}
    </SidePanel>
  );
}

/** Returns a function that checks whether texts together contain every word of the search. */
function matcher(search: string): Matcher {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  return (...texts) => {
    const all = texts.join('\n').toLowerCase();
    return words.every((word) => all.includes(word));
  };
}

/** Lists the queries that the operator has run. */
export function History({ matches, onOpen }: { matches: Matcher; onOpen: OpenQuery }) {
  const queryClient = useQueryClient();
  const { data, error } = useQuery(historyQuery);
  const { mutate: clear, isPending } = useMutation({
    mutationFn: () => fetchConsole('DELETE /sql/history'),
    onSettled: () => queryClient.invalidateQueries({ queryKey: historyQuery.queryKey }),
  });
  const shown = data?.filter(({ text }) => matches(text)) ?? [];
  return (
    <section className={classes.section}>
      <div className={classes.head}>
        <h2 className={classes.title}>{t('library.history')}</h2>
        {data === undefined || data.length === 0 ? null : (
          <Button size="compact-xs" variant="default" loading={isPending} onClick={() => clear()}>
            {t('library.history-clear')}
          </Button>
        )}
      </div>
      {error === null ? null : <ProblemBox error={error} />}
      {data === undefined || shown.length > 0 ? null : (
        <p className={classes.none}>{t(data.length === 0 ? 'library.history-none' : 'library.nothing')}</p>
      )}
      <ul className={classes.list}>
        {shown.map(({ id, text, persona, error: failure, duration_ms, at }) => (
          <li key={id} className={classes.entry}>
            <button type="button" className={classes.open} onClick={() => onOpen({ text })}>
              <code className={classes.code}>{text.slice(0, 200)}</code>
              <span className={classes.dim}>
                <Moment at={at} relative /> · {t('library.ms', { ms: duration_ms })}
                {persona === 'operator' ? '' : ` · ${persona.slice(0, 16)}`}{' '}
                {failure === null ? null : <Tag tone="danger">{failure.slice(0, 80)}</Tag>}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Lists the templates that the operator can run, by group. */
export function TemplateList({ matches, onOpen }: { matches: Matcher; onOpen: OpenQuery }) {
  const { data: session } = useQuery(sessionQuery);
  const shown = templates.filter(
    ({ id, needs, text }) =>
      session?.operator.permissions.includes(needs) &&
      matches(t(`template.${id}`), t(`template.${id}.text`), text),
  );
  if (shown.length === 0) return <p className={classes.none}>{t('library.nothing')}</p>;
  return templateGroups.map((group) => {
    const own = shown.filter((each) => each.group === group);
    return own.length === 0 ? null : (
      <section key={group} className={classes.section}>
        <h2 className={classes.title}>{t(`template-group.${group}`)}</h2>
        <ul className={classes.list}>
          {own.map(({ id, text }) => (
            <li key={id} className={classes.entry}>
              <button
                type="button"
                className={classes.open}
                onClick={() => onOpen({ name: t(`template.${id}`), text })}
              >
                <span className={classes.name}>{t(`template.${id}`)}</span>
                <span className={classes.help}>{t(`template.${id}.text`)}</span>
              </button>
            </li>
          ))}
        </ul>
      </section>
    );
  });
}
