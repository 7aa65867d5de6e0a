import { type KeyboardEvent, useId, useState } from 'react';
import type { Home } from '../../api/types.ts';
import { CodeBlock } from '../../components/json-block.tsx';
import { t } from '../../text.ts';
import classes from './connect.module.css';
import { type Snippet, snippets } from './snippets.ts';

/** Code snippets in tabs. Arrow keys move between tabs. */
export function Connect({ home, table }: { home: Home; table: string }) {
  const all = snippets(home, table);
  const [chosen, setChosen] = useState<Snippet['id']>('supabase-js');
  const id = useId();
  const index = Math.max(
    0,
    all.findIndex((each) => each.id === chosen),
  );
  const current = all[index];

  function walk(event: KeyboardEvent<HTMLElement>): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = all[(index + step + all.length) % all.length];
    if (next === undefined) return;
    setChosen(next.id);
    document.getElementById(`${id}-${next.id}`)?.focus();
  }

  return (
    <>
      <div role="tablist" aria-label={t('home.connect')} className={classes.tabs}>
        {all.map((each) => (
          <button
            key={each.id}
            id={`${id}-${each.id}`}
            type="button"
            role="tab"
            aria-selected={each.id === chosen}
            aria-controls={`${id}-panel`}
            tabIndex={each.id === chosen ? 0 : -1}
            className={classes.tab}
            onClick={() => setChosen(each.id)}
            onKeyDown={walk}
          >
            {each.name}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${chosen}`}>
        {current === undefined ? null : (
          <CodeBlock text={current.code} what={t('home.snippet', { name: current.name })} />
        )}
      </div>
    </>
  );
}
