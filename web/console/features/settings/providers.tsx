/** The cards of sign-in providers, which contain the provider's settings, the callback URL to register and a test. */
import '@mantine/core/styles/Switch.layer.css';
import { Button, Switch } from '@mantine/core';
import {
  IconChevronRight,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconExternalLink,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useContext } from 'react';
import { Copyable } from '../../../ui/copyable.tsx';
import { fetchConsole } from '../../api/session.ts';
import { ProblemBox } from '../../components/problem-box.tsx';
import { Tag } from '../../components/tag.tsx';
import { keyOf, type Part, type ProviderTest, type Setting } from './api.ts';
import { SettingField } from './field.tsx';
import { ReviewContext, type SettingsForm, useSettingsForm } from './form.ts';
import classes from './parts.module.css';
import { Collapsed, Count } from './parts.tsx';
import { t } from './text.ts';

type Panel = Extract<NonNullable<Part['panel']>, { kind: 'provider' }>;

/** The provider settings that most projects don't need. */
const rare = ['redirect_uri', 'skip_nonce_check', 'email_optional'];

export function ProviderCard({ part, panel }: { part: Part; panel: Panel }) {
  const form = useSettingsForm();
  const title = part.title ?? panel.name;
  const nameOf = (key: string): string => key.slice(key.lastIndexOf('.') + 1);
  const isRare = (key: string): boolean =>
    rare.includes(nameOf(key)) || (nameOf(key) === 'url' && !panel.hasServer);
  const rareKeys = part.keys.filter(isRare);
  const redirect = form.settingOf(`auth.external.${panel.name}.redirect_uri`);
  const own = redirect === undefined ? null : form.valueOf(redirect);
  return (
    <Collapsed
      title={title}
      status={<Status part={part} panel={panel} />}
      action={<OnSwitch title={title} name={panel.name} />}
    >
      <Fields keys={part.keys.filter((key) => !isRare(key))} />
      <div className={classes.facts}>
        <div>
          <span>{t('settings.callback')}</span>
          <Copyable
            value={typeof own === 'string' && own !== '' ? own : form.data.callbackUrl}
            what={t('settings.callback-of', { title })}
          />
        </div>
        <div>
          <a href={panel.url} target="_blank" rel="noreferrer">
            {t('settings.provider-console', { title })} <IconExternalLink size={14} aria-hidden />
          </a>
        </div>
      </div>
      <details className={classes.more}>
        <summary className={classes.summary}>
          <IconChevronRight className={classes.chevron} size={16} aria-hidden />
          <span>{t('settings.more')}</span>
          <Count keys={rareKeys} />
        </summary>
        <Fields keys={rareKeys} />
      </details>
      {form.mayWrite ? <Test name={panel.name} title={title} keys={part.keys} /> : null}
    </Collapsed>
  );
}

/** Turns the provider on or off without opening the card. The change is saved together with all other changes. */
function OnSwitch({ title, name }: { title: string; name: string }) {
  const form = useSettingsForm();
  const review = useContext(ReviewContext);
  const setting = form.settingOf(`auth.external.${name}.enabled`);
  if (setting === undefined || setting.reference !== null) return null;
  return (
    <>
      {form.isChanged(keyOf(setting)) ? (
        <Button
          size="compact-sm"
          variant="subtle"
          aria-label={t('settings.not-saved-of', { title })}
          onClick={review}
        >
          {t('settings.not-saved')}
        </Button>
      ) : null}
      <Switch
        aria-label={t('settings.provider-on', { title })}
        checked={form.valueOf(setting) === true}
        disabled={form.lockOf(setting) !== undefined}
        onChange={(event) => form.change(setting, event.currentTarget.checked)}
      />
    </>
  );
}

export function Fields({ keys, title = null }: { keys: readonly string[]; title?: string | null }) {
  const form = useSettingsForm();
  return keys.map((key) => {
    const setting = form.settingOf(key);
    return setting === undefined ? null : <SettingField key={key} setting={setting} title={title} />;
  });
}

function Status({ part, panel }: { part: Part; panel: Panel }) {
  const form = useSettingsForm();
  const settingOf = (name: string) => form.settingOf(`auth.external.${panel.name}.${name}`);
  const enabled = settingOf('enabled');
  const isOn = enabled !== undefined && form.valueOf(enabled) === true;
  const missing = hasValue(form, settingOf('client_id'))
    ? hasValue(form, settingOf('secret'))
      ? undefined
      : 'settings.needs-secret'
    : 'settings.needs-id';
  const isTouched = part.keys.some((key) => form.isChanged(key) || form.faultOf(key) !== undefined);
  return (
    <>
      {isOn && (missing !== undefined || enabled.reference !== null) ? (
        <Tag tone={missing === undefined ? 'success' : 'warning'}>{t(missing ?? 'settings.on')}</Tag>
      ) : null}
      {isTouched ? <Count keys={part.keys} /> : null}
    </>
  );
}

/** Whether a setting has a value. A reference to an unset environment variable isn't a value. */
function hasValue(form: SettingsForm, setting: Setting | undefined): boolean {
  if (setting === undefined) return false;
  if (form.isChanged(keyOf(setting))) return (form.valueOf(setting) ?? '') !== '';
  if (setting.override !== null) return true;
  return setting.reference === null ? setting.isSet && setting.value !== '' : setting.reference.isSet;
}

function Test({ name, title, keys }: { name: string; title: string; keys: readonly string[] }) {
  const form = useSettingsForm();
  const { mutate, data, error, isPending } = useMutation({
    mutationFn: () => fetchConsole('POST /settings/test-provider', { body: { name } }),
  });
  return (
    <div className={classes.panel}>
      <p className={classes.dimmed}>{t('settings.test-provider-text')}</p>
      {keys.some(form.isChanged) ? <p>{t('settings.test-saved')}</p> : null}
      <Button size="xs" variant="default" loading={isPending} onClick={() => mutate()}>
        {t('settings.test-provider', { title })}
      </Button>
      <div className={classes.result} role="status">
        {data === undefined ? null : <Checks test={data} />}
      </div>
      {error === null ? null : <ProblemBox error={error} />}
    </div>
  );
}

const icons = { passed: IconCircleCheck, failed: IconCircleX, unknown: IconCircleDashed } as const;

function Checks({ test: { checks } }: { test: ProviderTest }) {
  return (
    <ul className={classes.checks}>
      {checks.map(({ id, result, detail }) => {
        const Icon = icons[result];
        return (
          <li key={id} data-result={result}>
            <Icon size={16} aria-hidden />
            <span>
              <span className="visually-hidden">{t(`settings.result-${result}`)} </span>
              {detail}
            </span>
          </li>
        );
      })}
    </ul>
  );
}
