/**
 * The palette's dialog, which is a combobox with a list of results (ARIA Authoring Practices Guide, editable combobox).
 */
import { Modal } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type KeyboardEvent, useEffect, useId, useRef, useState } from 'react';
import { sessionQuery } from '../../api/session.ts';
import { useModalLayer } from '../../components/keyboard/modal-layer.ts';
import { takeTyped } from '../../components/keyboard/typed-ahead.ts';
import type { ActionTools } from './actions.tsx';
import type { DocSection } from './doc-sections.ts';
import type { ItemGroup } from './grouped.ts';
import classes from './palette.module.css';
import { remember } from './recents.ts';
import { t } from './text.ts';
import type { Group, Item } from './types.ts';
import { type Results, useItems } from './use-items.tsx';

/** The number of results that Page Up and Page Down move by. */
const pageStep = 6;

export function SearchDialog({
  tools,
  onDoc,
  onClose,
}: {
  tools: ActionTools;
  onDoc: (section: DocSection) => void;
  onClose: () => void;
}) {
  const { root, isTop } = useModalLayer();
  const { data: session } = useQuery(sessionQuery);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState<string>();
  /** The groups whose results are all shown. */
  const [whole, setWhole] = useState<ReadonlySet<Group>>(noGroups);
  const results = useItems(text, whole, tools, onDoc);
  const listId = useId();
  const lists = results.groups.map((group) => ({ ...group, items: withMore(group) }));
  const items = lists.flatMap((group) => group.items);
  const at = Math.max(
    0,
    items.findIndex(({ id }) => id === chosen),
  );
  const choose = (item: Item | undefined): void => {
    if (item === undefined) return;
    const group = groupOf(item);
    if (group !== undefined) {
      // The last result that was shown stays selected, and the new results follow it.
      setChosen(items[at - 1]?.id);
      setWhole(new Set([...whole, group]));
      return;
    }
    remember(session?.operator.name ?? '', item);
    onClose();
    item.run();
  };
  function walk(event: KeyboardEvent): void {
    const last = items.length - 1;
    const targets: Readonly<Record<string, number>> = {
      ArrowDown: at === last ? 0 : at + 1,
      ArrowUp: at === 0 ? last : at - 1,
      PageDown: Math.min(last, at + pageStep),
      PageUp: Math.max(0, at - pageStep),
    };
    const target = targets[event.key];
    if (target !== undefined) {
      event.preventDefault();
      setChosen(items[target]?.id);
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault();
      choose(items[at]);
    }
  }
  return (
    <Modal.Root
      ref={root}
      opened
      onClose={() => {
        if (isTop()) onClose();
      }}
      size="40rem"
      yOffset="8dvh"
      lockScroll={false}
      transitionProps={{ duration: 80 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t('palette.label')}>
        <Modal.Body className={classes.body}>
          <div className={classes.field}>
            <IconSearch size={18} aria-hidden />
            <input
              className={classes.input}
              type="text"
              role="combobox"
              aria-label={t('palette.label')}
              aria-expanded={items.length > 0}
              aria-controls={listId}
              aria-autocomplete="list"
              aria-activedescendant={items[at] === undefined ? undefined : optionId(listId, at)}
              placeholder={t('palette.placeholder')}
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              data-autofocus
              value={text}
              onChange={(event) => {
                setText(event.currentTarget.value);
                setChosen(undefined);
                setWhole(noGroups);
              }}
              onFocus={() => setText(text + takeTyped())}
              onKeyDown={walk}
            />
          </div>
          <ResultList listId={listId} groups={lists} at={at} onPoint={setChosen} onChoose={choose} />
          <Status
            results={results}
            count={results.groups.reduce((sum, { count }) => sum + count, 0)}
            hasText={text.trim() !== ''}
          />
        </Modal.Body>
      </Modal.Content>
    </Modal.Root>
  );
}

const noGroups: ReadonlySet<Group> = new Set();
const morePrefix = 'more:';

/** The items of a group, plus an item that reveals the rest. */
function withMore({ group, items, count }: ItemGroup): readonly Item[] {
  if (items.length === count) return items;
  return [
    ...items,
    { id: `${morePrefix}${group}`, group, title: t('palette.more', { count }), run: () => undefined },
  ];
}

/** Returns the group whose results the item shows. */
const groupOf = ({ id, group }: Item): Group | undefined => (id.startsWith(morePrefix) ? group : undefined);

const optionId = (listId: string, at: number): string => `${listId}-${at}`;

function ResultList({
  listId,
  groups,
  at,
  onPoint,
  onChoose,
}: {
  listId: string;
  groups: readonly ItemGroup[];
  at: number;
  onPoint: (id: string) => void;
  onChoose: (item: Item) => void;
}) {
  const list = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the chosen result can move when groups arrive
  useEffect(() => {
    list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [at, groups]);
  let position = -1;
  return (
    <div ref={list} id={listId} className={classes.list} role="listbox" aria-label={t('palette.results')}>
      {groups.map(({ group, items }) => (
        // biome-ignore lint/a11y/useSemanticElements: a listbox can contain groups, but no fieldsets
        <div key={group} role="group" aria-labelledby={`${listId}-${group}`}>
          <div id={`${listId}-${group}`} className={classes.group} role="presentation">
            {t(`group.${group}`)}
          </div>
          {items.map((item) => {
            position++;
            return (
              // biome-ignore lint/a11y/useFocusableInteractive: see above
              // biome-ignore lint/a11y/useKeyWithClickEvents: the field handles the keys
              <div
                key={item.id}
                id={optionId(listId, position)}
                role="option"
                aria-selected={position === at}
                className={classes.option}
                onPointerMove={() => onPoint(item.id)}
                onClick={() => onChoose(item)}
              >
                {item.icon}
                <span className={classes.words}>
                  <span className={classes.title}>{item.title}</span>
                  {item.detail ? <span className={classes.detail}>{item.detail}</span> : null}
                </span>
              </div>
            );
          })}
        </div>
      ))}
    </div>
  );
}

function Status({ results, count, hasText }: { results: Results; count: number; hasText: boolean }) {
  const { isSearching, hasFailed, partial } = results;
  const names = partial.map((group) => t(`group.${group}`));
  return (
    <div className={classes.foot}>
      <span role="status">
        {hasFailed
          ? t('palette.failed')
          : isSearching
            ? t('palette.searching')
            : !hasText
              ? ''
              : count === 0
                ? t('palette.nothing')
                : t('palette.count', { count })}
        {names.length === 0 || isSearching
          ? ''
          : ` ${t('palette.partial', { groups: new Intl.ListFormat('en').format(names) })}`}
      </span>
      <span aria-hidden>{t('palette.keys')}</span>
    </div>
  );
}
