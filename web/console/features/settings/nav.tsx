/** Shows the list of pages, or the search results in place of the list. */
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { ItemName, ItemNav, itemLink } from '../../components/frame/split-view.tsx';
import { SearchInput } from '../../components/search-input.tsx';
import { Tag } from '../../components/tag.tsx';
import { keyOf, type SettingsPage, type SettingsSearch } from './api.ts';
import { useSettingsForm } from './form.ts';
import classes from './nav.module.css';
import { createSearch, type Found } from './search.ts';
import { t } from './text.ts';

const shownResults = 40;

export function SettingsNav({
  open,
  text,
  onText,
  onJump,
}: {
  open: string;
  text: string;
  onText: (text: string) => void;
  /** Called when the operator chooses a result, even if the result's page is already open. */
  onJump: () => void;
}) {
  const form = useSettingsForm();
  const { pages } = form.data;
  const search = useMemo(
    () =>
      createSearch(pages, (key) => {
        const setting = form.settingOf(key);
        return setting === undefined ? undefined : { ...setting, key: keyOf(setting) };
      }),
    [pages, form.settingOf],
  );
  const isSearching = text.trim() !== '';
  const found = isSearching ? search(text).slice(0, shownResults) : [];
  return (
    <>
      <form
        className={classes.search}
        onSubmit={(event) => {
          event.preventDefault();
          document.querySelector<HTMLAnchorElement>(`.${classes.results} a`)?.click();
        }}
      >
        <SearchInput label={t('settings.search')} value={text} autoComplete="off" onChange={onText} />
      </form>
      <p className="visually-hidden" role="status">
        {isSearching ? t('settings.results', { count: found.length }) : ''}
      </p>
      {isSearching ? (
        <nav className={classes.results} aria-label={t('settings.results-list')}>
          {found.length === 0 ? <p className={classes.none}>{t('settings.none')}</p> : null}
          {found.map((one) => (
            <Result key={`${one.page.id} ${one.key} ${one.label}`} found={one} onJump={onJump} />
          ))}
        </nav>
      ) : (
        <ItemNav label={t('settings.sections')}>
          {groupsOf(pages).map(({ group, items }) => (
            <fieldset key={group} className={classes.pages} aria-labelledby={`settings-group-${group}`}>
              <h2 id={`settings-group-${group}`} className={classes.group}>
                {t(`settings.group-${group}`)}
              </h2>
              {items.map((page) => (
                <Link
                  key={page.id}
                  to="/settings"
                  search={{ section: page.id }}
                  {...itemLink(page.id === open)}
                >
                  <ItemName>{page.title}</ItemName>
                  <PageState page={page} />
                </Link>
              ))}
            </fieldset>
          ))}
        </ItemNav>
      )}
    </>
  );
}

/** Shows the number of changed or invalid settings of a page. */
function PageState({ page }: { page: SettingsPage }) {
  const form = useSettingsForm();
  const keys = new Set(page.parts.flatMap((part) => part.keys));
  const prefixes = page.parts.flatMap(({ names }) => (names === null ? [] : [`${names.split('.*')[0]}.`]));
  const isHere = (key: string): boolean => keys.has(key) || prefixes.some((prefix) => key.startsWith(prefix));
  const templates = page.id === 'email-templates' ? form.templates.size : 0;
  const changed = form.changedKeys.filter(isHere);
  const count = changed.length + templates;
  if (changed.some((key) => form.faultOf(key) !== undefined))
    return <Tag tone="danger">{t('settings.invalid-short')}</Tag>;
  return count === 0 ? null : (
    <Tag tone="info" title={t('settings.changes', { count })}>
      {count}
    </Tag>
  );
}

function Result({ found: { page, partTitle, key, label }, onJump }: { found: Found; onJump: () => void }) {
  return (
    <Link
      to="/settings"
      search={(previous) => ({ ...addressOf(page, key), ...searchOf(previous) })}
      className={classes.result}
      onClick={onJump}
    >
      <span>{label}</span>
      <span className={classes.where}>
        {key === null
          ? t(`settings.group-${page.group}`)
          : partTitle === null || partTitle === label
            ? page.title
            : `${page.title} · ${partTitle}`}
      </span>
    </Link>
  );
}

const searchOf = ({ search }: Pick<SettingsSearch, 'search'>): SettingsSearch =>
  search === undefined ? {} : { search };

/** Returns the address of a setting, or of a page if `key` is null. */
export function addressOf(page: SettingsPage, key: string | null): SettingsSearch {
  if (key === null) return { section: page.id };
  const panel = page.parts.find(({ keys }) => keys.includes(key))?.panel;
  return {
    section: page.id,
    setting: key,
    ...(panel?.kind === 'template' ? { mail: panel.name } : {}),
  };
}

function groupsOf(pages: readonly SettingsPage[]) {
  const groups = [...new Set(pages.map(({ group }) => group))];
  return groups.map((group) => ({ group, items: pages.filter((page) => page.group === group) }));
}
