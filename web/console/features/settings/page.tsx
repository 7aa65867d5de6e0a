/** The settings page, which shows the project's settings as forms. Changes are reviewed before they are written. */
import { ActionIcon } from '@mantine/core';
import { IconArrowLeft } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { PageHead } from '../../components/page.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { SkeletonLines } from '../../components/skeleton.tsx';
import { SplitView } from '../../components/split-view.tsx';
import { useUnsaved } from '../../components/unsaved.tsx';
import { useDebounced } from '../../components/use-debounced.ts';
import { type SettingsPage as PageFacts, settingsQuery } from './api.ts';
import { Words } from './field.tsx';
import { FormContext, ReviewContext, useSettingsForm } from './form.ts';
import { HookCard } from './hooks.tsx';
import { addressOf, SettingsNav } from './nav.tsx';
import classes from './page.module.css';
import { PartCard } from './parts.tsx';
import { ProviderCard } from './providers.tsx';
import { Review } from './review.tsx';
import { type Outcome, Running } from './running.tsx';
import { SaveBar } from './save-bar.tsx';
import { Templates } from './templates.tsx';
import { t } from './text.ts';
import { useFocus, useOpenPageVisible } from './use-focus.ts';
import { useForm } from './use-form.ts';

const route = getRouteApi('/app/settings');

export function SettingsPage() {
  const { section, setting, search, mail } = route.useSearch();
  const navigate = route.useNavigate();
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
  const invalid = faults.find(({ key }) => form?.settingOf(key) !== undefined);
  const review = (): void => (invalid === undefined ? setReviewing(true) : jump(invalid.key));
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
            <ReviewContext.Provider value={review}>
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
              isInvalid={invalid !== undefined}
              onReview={review}
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
