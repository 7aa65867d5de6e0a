/** The SQL page, with tabs for drafts, the editor and the results. The page's URL contains the tab and the persona. */
import { ActionIcon, Button } from '@mantine/core';
import { IconBooks, IconPlus, IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Suspense, useEffect, useRef, useState } from 'react';
import { namesQuery } from '../../api/queries.ts';
import { useMay } from '../../api/session.ts';
import type { SqlEditorHandle } from '../../components/editor/types.ts';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { collectTyped } from '../../components/keyboard/typed-ahead.ts';
import { lazyPart } from '../../components/lazy-part.ts';
import { LazyPersonaPicker } from '../../components/persona/lazy-persona-picker.tsx';
import { askQuery } from './ask/api.ts';
import classes from './page.module.css';
import { Parameters, useParameters } from './parameters.tsx';
import { ResultPane } from './result-pane.tsx';
import { defaultLimits, RunBar, type RunLimits } from './run-bar.tsx';
import { type Selection, selectedText } from './selection.ts';
import { changeTab, closeTab, openTab, type Tab, type TabContent, useTabs } from './tabs.ts';
import { t } from './text.ts';
import { useFormat } from './use-format.ts';
import { useQueryRun } from './use-query-run.ts';

// These components are loaded only when they are needed.
const AskBar = lazyPart(async () => ({ default: (await import('./ask/ask-bar.tsx')).AskBar }));
const ProposedNote = lazyPart(async () => ({
  default: (await import('./ask/proposed-note.tsx')).ProposedNote,
}));
const ConfirmRun = lazyPart(async () => ({ default: (await import('./confirm-run.tsx')).ConfirmRun }));
const Library = lazyPart(async () => ({ default: (await import('./library.tsx')).Library }));
const SaveQuery = lazyPart(async () => ({ default: (await import('./save-query.tsx')).SaveQuery }));
const SqlEditor = lazyPart(() => import('../../components/editor/sql-editor.tsx'));
const route = getRouteApi('/app/sql');

export function SqlPage() {
  const { tab: id } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs = useTabs();
  const current = tabs.find((tab) => tab.id === id) ?? (id === undefined ? tabs[0] : { id, text: '' });
  // If no query is open, creates a new query, so the operator can use the editor immediately.
  useEffect(() => {
    if (id !== undefined) return;
    const first = tabs[0]?.id ?? openTab();
    void navigate({ search: (previous) => ({ ...previous, tab: first }), replace: true });
  }, [id, tabs, navigate]);
  const open = (content?: TabContent): void => {
    const next = openTab(content);
    void navigate({ search: (previous) => ({ ...previous, tab: next }) });
  };
  return current === undefined ? null : (
    <OpenQuery key={current.id} tab={current} tabs={tabs} onOpen={open} />
  );
}

const maxNameChars = 28;

/** Returns the name of a saved query, or the beginning of the text. */
function nameOf({ name, text }: Tab, index: number): string {
  if (name !== undefined) return name;
  const [line = ''] = text.trim().split('\n');
  if (line === '') return t('sql.tab-name', { number: index + 1 });
  return line.length > maxNameChars ? `${line.slice(0, maxNameChars).trimEnd()}…` : line;
}

function Tabs({ tabs, current, onOpen }: { tabs: readonly Tab[]; current: string; onOpen: () => void }) {
  const navigate = route.useNavigate();
  return (
    <nav className={classes.tabs} aria-label={t('sql.tabs')}>
      {tabs.map((tab, index) => (
        <span key={tab.id} className={classes.tab} data-current={tab.id === current || undefined}>
          <Link
            to="/sql"
            search={(previous) => ({ ...previous, tab: tab.id })}
            className={classes.tabLink}
            aria-current={tab.id === current ? 'page' : undefined}
          >
            {nameOf(tab, index)}
          </Link>
          <ActionIcon
            size={24}
            variant="subtle"
            color="gray"
            aria-label={t('sql.close-tab', { name: nameOf(tab, index) })}
            onClick={() => {
              const next = closeTab(tab.id);
              if (tab.id !== current) return;
              void navigate({
                search: ({ tab: _closed, ...rest }) => (next === undefined ? rest : { ...rest, tab: next }),
              });
            }}
          >
            <IconX size={12} aria-hidden />
          </ActionIcon>
        </span>
      ))}
      <ActionIcon size="sm" variant="subtle" color="gray" aria-label={t('sql.new-tab')} onClick={onOpen}>
        <IconPlus size={15} aria-hidden />
      </ActionIcon>
    </nav>
  );
}

function OpenQuery({
  tab,
  tabs,
  onOpen,
}: {
  tab: Tab;
  tabs: readonly Tab[];
  onOpen: (content?: TabContent) => void;
}) {
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data: names } = useQuery(namesQuery);
  const [selection, setSelection] = useState<Selection>([0, 0]);
  const [limits, setLimits] = useState<RunLimits>(defaultLimits);
  const [showsLibrary, setShowsLibrary] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<SqlEditorHandle>(null);
  const { view = {} } = tab;
  const { charts = {} } = view;
  const parameters = useParameters(tab.text, view.parameters);
  const isProposed = tab.proposed !== undefined && tab.proposed === tab.text;
  const query = useQueryRun(tab.text, selection, { as, ...limits, parameters }, isProposed);
  const { data: asking } = useQuery({ ...askQuery, enabled: mayWrite });
  const { state, plan, run } = query;

  const format = useFormat((text) => changeTab(tab.id, { text, ...(isProposed ? { proposed: text } : {}) }));
  const faultAt = state.run?.statements.find(({ error }) => error !== undefined)?.error?.at ?? null;
  useEffect(() => editor.current?.markFault(faultAt), [faultAt]);

  return (
    <>
      <PageHead title={t('sql.title')}>
        <LazyPersonaPicker
          as={as}
          onChange={(next) =>
            void navigate({
              search: ({ as: _previous, ...rest }) => (next === undefined ? rest : { ...rest, as: next }),
            })
          }
        />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconBooks size={15} aria-hidden />}
          onClick={() => setShowsLibrary(true)}
        >
          {t('sql.library')}
        </Button>
      </PageHead>
      <Tabs tabs={tabs} current={tab.id} onOpen={() => onOpen()} />
      <div className={classes.page}>
        {asking?.isEnabled === true ? (
          <Suspense fallback={null}>
            <AskBar
              status={asking}
              sql={tab.text}
              run={state.run}
              onUse={(text, chart) =>
                changeTab(tab.id, {
                  text,
                  proposed: text,
                  view: { ...view, charts: chart === undefined ? {} : { 0: chart } },
                })
              }
            />
          </Suspense>
        ) : null}
        <div className={classes.editor}>
          <Suspense fallback={<SkeletonLines lines={4} />}>
            <SqlEditor
              value={tab.text}
              label={t('sql.editor')}
              names={names}
              autoFocus
              handle={editor}
              onChange={(text) => changeTab(tab.id, { text })}
              onRun={run}
              onSelection={(from, to) => setSelection([from, to])}
            />
          </Suspense>
        </div>
        <Parameters
          values={parameters}
          onChange={(values) => changeTab(tab.id, { view: { ...view, parameters: [...values] } })}
          onRun={run}
        />
        <RunBar
          isRunning={state.isRunning}
          isExplaining={plan.isPending}
          hasSelection={selectedText(tab.text, selection) !== undefined}
          canSave={mayWrite}
          limits={limits}
          everySeconds={query.everySeconds}
          onRun={run}
          onEvery={query.runEvery}
          onCancel={query.cancel}
          onExplain={query.explain}
          onFormat={() => void format.run(tab.text, selection)}
          onSave={() => {
            collectTyped();
            setSaving(true);
          }}
          onLimits={setLimits}
        />
        {isProposed && mayWrite ? (
          <Suspense fallback={null}>
            <ProposedNote onAllow={() => changeTab(tab.id, { proposed: undefined })} />
          </Suspense>
        ) : null}
        {format.fault === undefined ? null : (
          <p role="status" className={classes.note}>
            {t(format.fault)}
          </p>
        )}
        <ResultPane
          state={state}
          name={tab.name}
          charts={{
            charts,
            onChange: (index, choice) => {
              const { [index]: _previous, ...others } = charts;
              const next = choice === undefined ? others : { ...others, [index]: choice };
              changeTab(tab.id, { view: { ...view, charts: next } });
            },
          }}
          plans={plan.data}
          planError={plan.error}
          isReadOnly={!mayWrite}
          onShow={(at) => editor.current?.show(at)}
        />
      </div>
      <Suspense fallback={null}>
        {state.confirmation === undefined ? null : (
          <ConfirmRun confirmation={state.confirmation} onClose={query.dismiss} />
        )}
        {showsLibrary ? (
          <Library
            onClose={() => setShowsLibrary(false)}
            onOpen={(content) => {
              setShowsLibrary(false);
              onOpen(content);
            }}
          />
        ) : null}
        {isSaving ? <SaveQuery tab={tab} onClose={() => setSaving(false)} /> : null}
      </Suspense>
    </>
  );
}
