/** The SQL page: tabs with drafts, the editor and the results. The address contains the tab and the persona. */
import { ActionIcon, Button, Modal, NativeSelect, TextInput } from '@mantine/core';
import {
  IconBinaryTree2,
  IconDeviceFloppy,
  IconHistory,
  IconPlayerPlay,
  IconPlayerStop,
  IconPlus,
  IconTerminal2,
  IconX,
} from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { fetchConsole, useMay } from '../../api/session.ts';
import { Confirm } from '../../components/confirm.tsx';
import type { SqlEditorHandle } from '../../components/editor/types.ts';
import { EmptyState } from '../../components/empty-state.tsx';
import { PageHead } from '../../components/page.tsx';
import { PersonaPicker } from '../../components/persona-picker.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { explainSql, namesQuery, savedQuery } from './api.ts';
import classes from './page.module.css';
import { changeTab, closeTab, openTab, type Tab, useTabs } from './tabs.ts';
import { t } from './text.ts';
import { type Script, useRun } from './use-run.ts';

// Components that are only shown on request.
const Library = lazy(async () => ({ default: (await import('./library.tsx')).Library }));
const Results = lazy(async () => ({ default: (await import('./results.tsx')).Results }));
const PlanView = lazy(async () => ({ default: (await import('./plan-view.tsx')).PlanView }));
const SqlEditor = lazy(() => import('../../components/editor/sql-editor.tsx'));
const route = getRouteApi('/app/sql');

const rowChoices = ['100', '1000', '10000'];
const timeoutChoices = [10, 30, 120, 600];

export function SqlPage() {
  const { tab: id } = route.useSearch();
  const navigate = route.useNavigate();
  const tabs = useTabs();
  const current = tabs.find((tab) => tab.id === id) ?? (id === undefined ? tabs[0] : { id, text: '' });
  // Without a draft, the first one is created immediately, so that the editor is usable.
  useEffect(() => {
    if (id !== undefined) return;
    const first = tabs[0]?.id ?? openTab();
    void navigate({ search: (former) => ({ ...former, tab: first }), replace: true });
  }, [id, tabs, navigate]);
  const open = (text = '', name?: string): void => {
    const next = openTab(text, name);
    void navigate({ search: (former) => ({ ...former, tab: next }) });
  };
  return current === undefined ? null : (
    <OpenQuery key={current.id} tab={current} tabs={tabs} onOpen={open} />
  );
}

const nameOf = (tab: Tab, index: number): string =>
  tab.name ?? (tab.text.trim().split('\n')[0]?.slice(0, 28) || t('sql.tab-name', { number: index + 1 }));

function Tabs({ tabs, current, onOpen }: { tabs: readonly Tab[]; current: string; onOpen: () => void }) {
  const navigate = route.useNavigate();
  return (
    <nav className={classes.tabs} aria-label={t('sql.tabs')}>
      {tabs.map((tab, index) => (
        <span key={tab.id} className={classes.tab} data-current={tab.id === current || undefined}>
          <Link
            to="/sql"
            search={(former) => ({ ...former, tab: tab.id })}
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
  onOpen: (text?: string, name?: string) => void;
}) {
  const { as } = route.useSearch();
  const navigate = route.useNavigate();
  const mayWrite = useMay('write');
  const { data: names } = useQuery(namesQuery);
  const [selection, setSelection] = useState<readonly [number, number]>([0, 0]);
  const [maxRows, setMaxRows] = useState('1000');
  const [timeoutSeconds, setTimeoutSeconds] = useState('30');
  const [showsLibrary, setShowsLibrary] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const editor = useRef<SqlEditorHandle>(null);
  const { state, start, cancel, clear, dismiss } = useRun(mayWrite);
  const timeoutMs = Number(timeoutSeconds) * 1000;

  const script = (): Script => {
    const [from, to] = selection;
    const selected = tab.text.slice(from, to);
    return selected.trim() === ''
      ? { all: tab.text, text: tab.text, offset: 0 }
      : { all: tab.text, text: selected, offset: from };
  };
  const plan = useMutation({
    mutationFn: (analyze: boolean) => explainSql({ text: script().text, as, analyze, timeoutMs }, mayWrite),
  });
  const run = (): void => {
    if (tab.text.trim() === '' || state.isRunning) return;
    plan.reset();
    void start(script(), { as, maxRows: Number(maxRows), timeoutMs });
  };
  const explain = (analyze: boolean): void => {
    clear();
    plan.mutate(analyze);
  };

  const faultAt = state.run?.statements.find(({ error }) => error !== undefined)?.error?.at ?? null;
  useEffect(() => editor.current?.markFault(faultAt), [faultAt]);
  const hasSelection = tab.text.slice(...selection).trim() !== '';

  return (
    <>
      <PageHead title={t('sql.title')}>
        <PersonaPicker
          as={as}
          onChange={(next) =>
            void navigate({
              search: ({ as: _former, ...rest }) => (next === undefined ? rest : { ...rest, as: next }),
            })
          }
        />
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconHistory size={15} aria-hidden />}
          onClick={() => setShowsLibrary(true)}
        >
          {t('sql.library')}
        </Button>
      </PageHead>
      <Tabs tabs={tabs} current={tab.id} onOpen={() => onOpen()} />
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
      <div className={classes.bar}>
        {state.isRunning ? (
          <Button
            size="compact-sm"
            color="red"
            leftSection={<IconPlayerStop size={15} aria-hidden />}
            onClick={cancel}
          >
            {t('sql.cancel')}
          </Button>
        ) : (
          <Button size="compact-sm" leftSection={<IconPlayerPlay size={15} aria-hidden />} onClick={run}>
            {t(hasSelection ? 'sql.run-selection' : 'sql.run')}
          </Button>
        )}
        <Button.Group>
          <Button
            size="compact-sm"
            variant="default"
            loading={plan.isPending}
            leftSection={<IconBinaryTree2 size={15} aria-hidden />}
            onClick={() => explain(false)}
          >
            {t('sql.explain')}
          </Button>
          <Button
            size="compact-sm"
            variant="default"
            title={t('sql.explain-why')}
            loading={plan.isPending}
            onClick={() => explain(true)}
          >
            {t('sql.explain-run')}
          </Button>
        </Button.Group>
        {mayWrite ? (
          <Button
            size="compact-sm"
            variant="default"
            leftSection={<IconDeviceFloppy size={15} aria-hidden />}
            onClick={() => setSaving(true)}
          >
            {t('sql.save')}
          </Button>
        ) : null}
        <span className={classes.limits}>
          <span className={classes.limit}>
            <span aria-hidden>{t('sql.max-rows')}</span>
            <NativeSelect
              aria-label={t('sql.max-rows')}
              size="xs"
              data={rowChoices}
              value={maxRows}
              onChange={(event) => setMaxRows(event.currentTarget.value)}
            />
          </span>
          <span className={classes.limit}>
            <span aria-hidden>{t('sql.timeout')}</span>
            <NativeSelect
              aria-label={t('sql.timeout')}
              size="xs"
              data={timeoutChoices.map((seconds) => ({
                value: String(seconds),
                label: t('sql.seconds', { seconds }),
              }))}
              value={timeoutSeconds}
              onChange={(event) => setTimeoutSeconds(event.currentTarget.value)}
            />
          </span>
        </span>
      </div>
      <section className={classes.results} aria-label={t('sql.results')}>
        {mayWrite ? null : <p className={classes.looks}>{t('sql.looks-only')}</p>}
        {state.problem === null ? null : (
          <div className={classes.problem}>
            <ProblemBox error={state.problem} />
          </div>
        )}
        {plan.error === null ? null : (
          <div className={classes.problem}>
            <ProblemBox error={plan.error} />
          </div>
        )}
        <Suspense fallback={<SkeletonLines lines={4} />}>
          {state.run !== undefined ? (
            <Results
              text={state.text}
              run={state.run}
              request={state.request}
              isRunning={state.isRunning}
              onShow={(at) => editor.current?.show(at)}
            />
          ) : plan.data !== undefined ? (
            <PlanView plan={plan.data} />
          ) : state.problem === null && plan.error === null && state.asked === undefined ? (
            <EmptyState
              icon={<IconTerminal2 size={22} stroke={1.75} />}
              title={t('sql.empty-title')}
              text={t('sql.empty-text')}
            />
          ) : null}
        </Suspense>
      </section>
      {state.asked === undefined ? null : (
        <Confirm
          title={t('sql.confirm-title')}
          action={t('sql.confirm-run')}
          isBusy={false}
          error={null}
          onConfirm={state.asked.again}
          onClose={dismiss}
        >
          <ul className={classes.questions}>
            {state.asked.questions.map(({ danger, statement }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
              <li key={index}>
                {t(`sql.danger.${danger}`)}
                <code className={classes.statement}>{statement}</code>
              </li>
            ))}
          </ul>
        </Confirm>
      )}
      {showsLibrary ? (
        <Suspense fallback={null}>
          <Library
            onClose={() => setShowsLibrary(false)}
            onOpen={(text, name) => {
              setShowsLibrary(false);
              onOpen(text, name);
            }}
          />
        </Suspense>
      ) : null}
      {isSaving ? <SaveQuery tab={tab} onClose={() => setSaving(false)} /> : null}
    </>
  );
}

function SaveQuery({ tab, onClose }: { tab: Tab; onClose: () => void }) {
  const queryClient = useQueryClient();
  const [name, setName] = useState(tab.name ?? '');
  const { mutate, isPending, error } = useMutation({
    mutationFn: () => fetchConsole('PUT /sql/saved', { body: { name, text: tab.text } }),
    onSuccess: (saved) => {
      changeTab(tab.id, { name: saved.name });
      void queryClient.invalidateQueries({ queryKey: savedQuery.queryKey });
      onClose();
    },
  });
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('sql.save-title')}
      lockScroll={false}
      closeButtonProps={{ 'aria-label': t('sql.cancel') }}
    >
      <form
        className={classes.form}
        onSubmit={(event) => {
          event.preventDefault();
          if (!isPending) mutate();
        }}
      >
        {error === null ? null : <ProblemBox error={error} />}
        <TextInput
          label={t('sql.save-name')}
          required
          maxLength={200}
          autoComplete="off"
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Button type="submit" size="sm" loading={isPending}>
          {t('sql.save')}
        </Button>
      </form>
    </Modal>
  );
}
