/** Lists the emails with their templates. */
import { IconChevronRight } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { SkeletonLines } from '../../components/frame/skeleton.tsx';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { mailsQuery, type Part, type SettingsPage } from './api.ts';
import { useSettingsForm } from './form.ts';
import { mailTitle } from './mail-names.ts';
import parts from './parts.module.css';
import { TemplateEditor } from './template-editor.tsx';
import classes from './templates.module.css';
import { t } from './text.ts';

export function Templates({ page, mail }: { page: SettingsPage; mail: string | undefined }) {
  const { data, error } = useQuery(mailsQuery);
  if (error !== null) return <ProblemBox error={error} />;
  if (data === undefined) return <SkeletonLines lines={8} />;
  const partOf = (name: string): Part | undefined =>
    page.parts.find(({ panel }) => panel?.kind === 'template' && panel.name === name);
  if (mail !== undefined && data.mails.some(({ name }) => name === mail))
    return <TemplateEditor key={mail} name={mail} part={partOf(mail)} languages={data.languages} />;
  const editable = data.mails.filter(({ isEditable }) => isEditable);
  const groups = [
    { title: t('settings.mails'), mails: editable.filter(({ name }) => !name.endsWith('_notification')) },
    {
      title: t('settings.mails-notices'),
      mails: editable.filter(({ name }) => name.endsWith('_notification')),
    },
    { title: t('settings.mails-fixed'), mails: data.mails.filter(({ isEditable }) => !isEditable) },
  ];
  return groups.map(({ title, mails }) => (
    <section key={title} className={parts.card} aria-label={title}>
      <header className={parts.head}>
        <h3>{title}</h3>
      </header>
      <ul className={classes.list}>
        {mails.map(({ name }) => (
          <li key={name}>
            <Link
              from="/settings"
              to="/settings"
              search={({ setting: _setting, ...rest }) => ({ ...rest, section: page.id, mail: name })}
              className={classes.item}
            >
              <span className={classes.title}>{mailTitle(name)}</span>
              <State name={name} keys={partOf(name)?.keys ?? []} />
              <IconChevronRight className={parts.chevron} size={16} aria-hidden />
            </Link>
          </li>
        ))}
      </ul>
    </section>
  ));
}

function State({ name, keys }: { name: string; keys: readonly string[] }) {
  const form = useSettingsForm();
  const current = (end: string) => {
    const setting = form.settingOf(keys.find((key) => key.endsWith(end)) ?? '');
    return setting === undefined ? null : form.valueOf(setting);
  };
  return (
    <>
      {keys.some(form.isChanged) || form.templates.has(name) ? (
        <Tag tone="info">{t('settings.changed')}</Tag>
      ) : null}
      {current('.enabled') === true ? <Tag tone="success">{t('settings.on')}</Tag> : null}
      {current('.content_path') === null ? null : <Tag>{t('settings.mail-own')}</Tag>}
    </>
  );
}
