/** The library, which contains saved queries, the history and templates. The search covers all three. */
import { useState } from 'react';
import { SearchInput } from '../../components/search-input.tsx';
import { SidePanel } from '../../components/side-panel.tsx';
import { History } from './history-list.tsx';
import classes from './library.module.css';
import { t } from './library-text.ts';
import type { Matcher, OpenQuery } from './library-types.ts';
import { Saved } from './saved-list.tsx';
import { TemplateList } from './template-list.tsx';
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
