/** The editor of an email template, with a live preview. */
import { Button, NativeSelect, Textarea } from '@mantine/core';
import { IconArrowLeft, IconChevronRight } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useRef, useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { consoleUrl } from '../../api/route.ts';
import { fetchConsole } from '../../api/session.ts';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { MailBody } from '../../components/mail-body.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { type MailSource, mailQuery, mailsQuery, type Part } from './api.ts';
import { SettingField } from './field.tsx';
import { useSettingsForm } from './form.ts';
import { mailTitle } from './mail-names.ts';
import parts from './parts.module.css';
import { Collapsed } from './parts.tsx';
import { Fields } from './providers.tsx';
import classes from './templates.module.css';
import { TestForm } from './test-messages.tsx';
import { t } from './text.ts';

export function TemplateEditor({
  name,
  part,
  languages,
}: {
  name: string;
  part: Part | undefined;
  languages: readonly string[];
}) {
  const form = useSettingsForm();
  const { data, error } = useQuery(mailQuery(name));
  return (
    <>
      <div>
        <Link
          from="/settings"
          to="/settings"
          search={({ mail: _mail, setting: _setting, ...rest }) => rest}
          className={classes.back}
        >
          <IconArrowLeft size={16} aria-hidden /> {t('settings.mails-back')}
        </Link>
      </div>
      <section className={parts.card} aria-label={mailTitle(name)}>
        <header className={parts.head}>
          <h3>{mailTitle(name)}</h3>
          {part === undefined ? <p>{t('settings.mail-fixed')}</p> : null}
        </header>
        {part === undefined ? null : (
          <Fields keys={part.keys.filter((key) => key.endsWith('.enabled'))} title={part.title} />
        )}
        {error === null ? null : <ProblemBox error={error} />}
        {data === undefined ? (
          error === null ? (
            <SkeletonLines lines={8} />
          ) : null
        ) : (
          <Editor name={name} part={part} source={data} languages={languages} />
        )}
      </section>
      {part === undefined ? null : (
        <Collapsed
          title={t('settings.mail-file')}
          isOpen={form.target?.endsWith('.content_path') && part.keys.includes(form.target)}
        >
          <Fields keys={part.keys.filter((key) => key.endsWith('_path'))} title={part.title} />
        </Collapsed>
      )}
      {form.mayWrite ? (
        <Collapsed title={t('settings.test-mail-title')} text={t('settings.test-mail-saved')}>
          <div className={parts.panel}>
            <TestForm
              type="email"
              label={t('settings.test-mail')}
              send={(to) => fetchConsole('POST /settings/test-mail', { body: { to, template: name } })}
            />
          </div>
        </Collapsed>
      ) : null}
    </>
  );
}

function Editor({
  name,
  part,
  source,
  languages,
}: {
  name: string;
  part: Part | undefined;
  source: MailSource;
  languages: readonly string[];
}) {
  const form = useSettingsForm();
  const area = useRef<HTMLTextAreaElement>(null);
  const [language, setLanguage] = useState(languages[0] ?? 'en');
  const edit = form.templates.get(name);
  const subject = form.settingOf(part?.keys.find((key) => key.endsWith('.subject')) ?? '');
  const path = form.settingOf(part?.keys.find((key) => key.endsWith('.content_path')) ?? '');
  // A template can't be edited while the removal of its path is unsaved, because the edit would need the path.
  const isReverted =
    path?.isSet === true && form.isChanged(path.path.join('.')) && form.valueOf(path) === null;
  const html = isReverted ? source.defaultHtml : (edit?.html ?? source.html);
  const isSubjectChanged = subject !== undefined && form.isChanged(subject.path.join('.'));
  const isDefaultSubject = subject !== undefined && (form.valueOf(subject) ?? '') === '';
  const preview = usePreview(name, {
    language,
    subject: isSubjectChanged ? String(form.valueOf(subject) ?? '') : null,
    html: isReverted ? source.defaultHtml : (edit?.html ?? null),
  });
  const write = (html: string): void =>
    form.changeTemplate(name, html === source.html ? undefined : { name, html, stamp: source.stamp });
  const fault = preview.data?.fault ?? null;
  return (
    <>
      {subject === undefined ? null : (
        <SettingField
          setting={subject}
          title={part?.title ?? null}
          placeholder={source.defaultSubjects[language]}
        />
      )}
      <div className={classes.editor}>
        {part === undefined ? null : (
          <div className={classes.half}>
            <Textarea
              ref={area}
              label={t('settings.mail-html')}
              description={
                isReverted
                  ? t('settings.mail-reverted', { file: source.file ?? '' })
                  : source.file === null
                    ? t('settings.mail-ours')
                    : t('settings.mail-file-is', { file: source.file })
              }
              error={fault === null || edit === undefined ? undefined : t('settings.mail-invalid', { fault })}
              classNames={{ input: classes.code }}
              rows={18}
              spellCheck={false}
              readOnly={!form.isOwner || isReverted}
              value={html}
              onChange={(event) => write(event.currentTarget.value)}
            />
            {form.isOwner ? null : <p className={parts.dimmed}>{t('settings.only-owners')}</p>}
            <Variables
              area={area}
              isLocked={!form.isOwner || isReverted}
              onInsert={(text, at) => write(html.slice(0, at) + text + html.slice(at))}
            />
            {path?.isSet && !isReverted && form.lockOf(path) === undefined ? (
              <div>
                <Button
                  size="compact-xs"
                  variant="default"
                  onClick={() => {
                    form.changeTemplate(name, undefined);
                    form.change(path, null);
                  }}
                >
                  {t('settings.mail-revert')}
                </Button>
              </div>
            ) : null}
            {edit === undefined && !isReverted ? null : (
              <div>
                <Button
                  size="compact-xs"
                  variant="subtle"
                  aria-label={t('settings.undo-of', { label: t('settings.mail-html') })}
                  onClick={() => {
                    form.changeTemplate(name, undefined);
                    if (isReverted) form.undo(path.path.join('.'));
                  }}
                >
                  {t('settings.undo')}
                </Button>
              </div>
            )}
          </div>
        )}
        <section className={classes.half} aria-label={t('settings.mail-preview')}>
          <div className={parts.inline}>
            <NativeSelect
              size="xs"
              label={t('settings.mail-language')}
              value={language}
              data={languages.map((each) => ({ value: each, label: languageName(each) }))}
              onChange={(event) => setLanguage(event.currentTarget.value)}
            />
          </div>
          {preview.error === null ? null : <ProblemBox error={preview.error} />}
          {preview.data === undefined ? null : (
            <>
              {fault !== null && edit === undefined ? (
                <Notice tone="warning">
                  <p>{t('settings.mail-fault', { file: preview.data.file ?? name, fault })}</p>
                </Notice>
              ) : null}
              <p className={classes.subject}>
                <span className={parts.dimmed}>{t('settings.mail-subject')} </span>
                <strong>{preview.data.subject}</strong>
              </p>
              {isDefaultSubject && source.apiSubject !== source.defaultSubjects[language] ? (
                <p className={parts.dimmed}>
                  {t('settings.mail-api-subject', { subject: source.apiSubject })}
                </p>
              ) : null}
              <MailBody
                subject={preview.data.subject}
                text={preview.data.text}
                htmlUrl={consoleUrl('GET /settings/frames/:id', { params: { id: preview.data.frame } })}
              />
            </>
          )}
        </section>
      </div>
    </>
  );
}

const languageName = (tag: string): string =>
  new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;

interface Draft {
  readonly language: string;
  readonly subject: string | null;
  readonly html: string | null;
}

const pauseMs = 300;

/** Renders the draft on the server after a short pause. */
function usePreview(name: string, draft: Draft) {
  const text = JSON.stringify(draft);
  const [rendered, setRendered] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setRendered(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return useQuery({
    queryKey: ['settings-mail-preview', name, rendered],
    queryFn: ({ signal }) =>
      fetchConsole('POST /settings/mails/:name/preview', {
        params: { name },
        body: JSON.parse(rendered) as Draft,
        signal,
      }),
    placeholderData: keepPreviousData,
    // The URL of the frame's document is valid only for a short time.
    gcTime: 0,
    refetchOnWindowFocus: false,
    retry: false,
  });
}

/** Lists the variables that the template can use. Pressing a variable inserts that variable at the cursor. */
function Variables({
  area,
  isLocked,
  onInsert,
}: {
  area: RefObject<HTMLTextAreaElement | null>;
  isLocked: boolean;
  onInsert: (text: string, at: number) => void;
}) {
  const { data } = useQuery(mailsQuery);
  return (
    <details>
      <summary className={classes.variables}>
        <IconChevronRight className={parts.chevron} size={16} aria-hidden />
        {t('settings.variables')}
      </summary>
      <ul className={classes.names}>
        {data?.variables.map(({ name, sample }) => {
          const text = `{{ .${name} }}`;
          return (
            <li key={name}>
              <Button
                size="compact-xs"
                variant="default"
                disabled={isLocked}
                aria-label={t('settings.insert', { name: text })}
                onClick={() => {
                  const at = area.current?.selectionStart ?? 0;
                  onInsert(text, at);
                  area.current?.focus();
                }}
              >
                <code>{text}</code>
              </Button>
              <span className={parts.dimmed}>{sample}</span>
            </li>
          );
        })}
      </ul>
    </details>
  );
}
