/** The settings page, which shows the project's settings as forms. Changes are reviewed before they are written. */
import { ActionIcon, Button } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { PageHead } from '../../components/frame/page.tsx';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { SplitView } from '../../components/frame/split-view.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { useUnsaved } from '../../components/unsaved.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { checkQuery, type SettingsPage as PageFacts, type SettingFault, settingsQuery } from './api.ts';
import { Words } from './field.tsx';
import { FormContext, fieldId, ReviewContext, type SettingsForm, useSettingsForm } from './form.ts';
import { HookCard } from './hooks.tsx';
import nav from './nav.module.css';
import { addressOf, SettingsNav } from './nav.tsx';
import classes from './page.module.css';
import { PartCard } from './parts.tsx';
import { ProviderCard } from './providers.tsx';
import { Review } from './review.tsx';
import { type Outcome, Running } from './running.tsx';
import { Templates } from './templates.tsx';
import { t } from './text.ts';
import { useForm } from './use-form.ts';

const route = getRouteApi('/app/settings');

export function SettingsPage() {
  const { section, setting, search, mail } = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const { data, error } = useQuery(settingsQuery);
  const { form, changes, faults, reset } = useForm(data, setting);
  const [isReviewing, setReviewing] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [jumps, setJumps] = useState(0);
  const count = changes.length + (form?.templates.size ?? 0);
  const { question } = useUnsaved(count > 0, () => undefined, 'page');
  const [text, setText] = useDebounced(search ?? '', (next) => {
    void navigate({
      search: ({ search: _previous, ...rest }) => (next === '' ? rest : { ...rest, search: next }),
      replace: true,
    });
  });
  const open = data?.pages.find(({ id }) => id === section) ?? data?.pages[0];
  useFocus(setting, jumps, form !== undefined);
  useOpenPageVisible(open?.id);
  /** Opens the page of a setting and moves the focus to the setting. */
  const jump = (key: string): void => {
    const page = data?.pages.find(({ parts }) => parts.some(({ keys }) => keys.includes(key)));
    if (page !== undefined) void navigate({ search: addressOf(page, key) });
    setJumps((previous) => previous + 1);
  };
  const firstInvalid = (among: readonly SettingFault[]): SettingFault | undefined =>
    among.find(({ key }) => form?.settingOf(key) !== undefined);
  /** Opens the review or, if a changed setting is invalid, that setting. The last change may not be checked yet. */
  const review = async (): Promise<void> => {
    const check =
      changes.length === 0 ? undefined : client.ensureQueryData(checkQuery(changes)).catch(() => undefined);
    const invalid = firstInvalid((await check)?.faults ?? []);
    if (invalid === undefined) setReviewing(true);
    else jump(invalid.key);
  };
  return (
    <>
      <PageHead title={t('settings.title')} />
      {error === null ? null : <ProblemBox error={error} />}
      {form === undefined || open === undefined ? (
        error === null ? (
          <SkeletonLines lines={12} />
        ) : null
      ) : (
        <FormContext.Provider value={form}>
          <div className={classes.notices}>
            <Running
              outcome={outcome}
              page={open.id}
              onReloaded={(result) => setOutcome({ result, isSaved: false })}
            />
          </div>
          <SplitView
            isOpen={section !== undefined}
            isScrolling
            className={classes.split}
            list={
              <SettingsNav
                open={open.id}
                text={text}
                onText={setText}
                onJump={() => setJumps((previous) => previous + 1)}
              />
            }
          >
            <ReviewContext.Provider value={() => void review()}>
              <Opened
                key={open.id}
                page={open}
                mail={mail}
                onBack={() => void navigate({ search: search === undefined ? {} : { search } })}
              />
            </ReviewContext.Provider>
          </SplitView>
          {count === 0 ? null : (
            <SaveBar
              form={form}
              count={count}
              faults={faults}
              onDiscard={reset}
              isInvalid={firstInvalid(faults) !== undefined}
              onReview={() => void review()}
            />
          )}
        </FormContext.Provider>
      )}
      {question}
      {isReviewing && form !== undefined ? (
        <Review
          changes={changes}
          templates={[...form.templates.values()]}
          stamps={form.data.stamps}
          savedIn={form.data.savedIn}
          onClose={() => setReviewing(false)}
          onWritten={(result) => {
            setReviewing(false);
            setOutcome({ result, isSaved: true });
            reset();
          }}
        />
      ) : null}
    </>
  );
}

function Opened({ page, mail, onBack }: { page: PageFacts; mail: string | undefined; onBack: () => void }) {
  const { mayWrite } = useSettingsForm();
  return (
    <div className={classes.opened}>
      <header className={classes.head}>
        <ActionIcon
          className={classes.back}
          variant="subtle"
          color="gray"
          aria-label={t('settings.back')}
          onClick={onBack}
        >
          <IconArrowLeft size={18} aria-hidden />
        </ActionIcon>
        <h2>{page.title}</h2>
        <p>
          <Words text={page.text} />
        </p>
        {mayWrite ? null : <p>{t('settings.read-only')}</p>}
      </header>
      {page.id === 'email-templates' ? (
        <Templates page={page} mail={mail} />
      ) : (
        page.parts.map((part) => {
          const key = part.keys[0] ?? '';
          if (part.panel?.kind === 'provider')
            return <ProviderCard key={key} part={part} panel={part.panel} />;
          if (part.panel?.kind === 'hook') return <HookCard key={key} part={part} name={part.panel.name} />;
          return <PartCard key={key} part={part} />;
        })
      )}
    </div>
  );
}

/** Shows the unsaved changes. If a changed setting is invalid, the button opens that setting instead of the review. */
function SaveBar({
  form,
  count,
  faults,
  onDiscard,
  isInvalid,
  onReview,
}: {
  form: SettingsForm;
  count: number;
  faults: readonly SettingFault[];
  onDiscard: () => void;
  /** Whether one of the changed settings is invalid. In that case, the button opens the invalid setting. */
  isInvalid: boolean;
  onReview: () => void;
}) {
  const elsewhere = faults.filter(({ key }) => form.settingOf(key) === undefined);
  return (
    <div className={classes.bar}>
      <div className={classes.state} role="status">
        <span>{t('settings.unsaved', { count })}</span>
        {faults.length === 0 ? null : (
          <span className={classes.faults}>{t('settings.faults', { count: faults.length })}</span>
        )}
        {elsewhere.map(({ key, message }) => (
          <span key={key + message} className={classes.faults}>
            <code>{key}</code> {message}
          </span>
        ))}
      </div>
      <Button size="compact-sm" variant="default" onClick={onDiscard}>
        {t('settings.discard')}
      </Button>
      <Button size="compact-sm" onClick={onReview}>
        {t(isInvalid ? 'settings.show-error' : 'settings.review')}
      </Button>
    </div>
  );
}

/** Scrolls the list until the link of the open page is visible. */
function useOpenPageVisible(id: string | undefined): void {
  useEffect(() => {
    if (id !== undefined)
      document.querySelector(`.${nav.pages} [aria-current]`)?.scrollIntoView({ block: 'nearest' });
  }, [id]);
}

/** Shows the setting that the page's URL names, and moves the focus to the setting's control. */
function useFocus(key: string | undefined, jumps: number, isReady: boolean): void {
  // biome-ignore lint/correctness/useExhaustiveDependencies: each jump moves the focus again
  useEffect(() => {
    if (key === undefined || !isReady) return;
    const until = performance.now() + settleMs;
    let frame = requestAnimationFrame(function show() {
      const field = document.getElementById(fieldId(key));
      if (field === null) {
        // An email's fields don't appear until its templates have been loaded.
        if (performance.now() < until) frame = requestAnimationFrame(show);
        return;
      }
      for (
        let above = field.closest('details');
        above !== null;
        above = above.parentElement?.closest('details') ?? null
      )
        above.open = true;
      field.focus({ preventScroll: true });
      field.scrollIntoView({ block: 'center' });
    });
    return () => cancelAnimationFrame(frame);
  }, [key, jumps, isReady]);
}

/** The maximum time to wait until a setting's field appears. */
const settleMs = 5000;
