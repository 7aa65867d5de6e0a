/** The form fields for the target, headers and parameters of a webhook's request. */
import { Button, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { homeQuery } from '../../../api/queries.ts';
import { functionSlugsQuery } from '../api.ts';
import classes from '../jobs.module.css';
import { t } from '../text.ts';
import { isWebhookUrl, type NewWebhook, type WebhookDraft } from './draft.ts';
import { parsePairs } from './pairs.ts';

export interface DraftProps {
  readonly draft: WebhookDraft;
  readonly showsErrors: boolean;
  readonly onChange: (part: Partial<WebhookDraft>) => void;
}

export function RequestFields({ draft, showsErrors, onChange }: DraftProps) {
  const { data: home } = useQuery({ ...homeQuery, refetchInterval: false });
  const { data: slugs = [] } = useQuery(functionSlugsQuery);
  const addressOf = (slug: string): string => `${home?.url ?? ''}/functions/v1/${encodeURIComponent(slug)}`;
  const target = slugs.find(({ slug }) => addressOf(slug) === draft.url);
  const needsKey = target?.verifyJwt === true && !/^\s*authorization\s*:/im.test(draft.headers);
  return (
    <>
      {slugs.length === 0 ? null : (
        <NativeSelect
          label={t('hooks.target')}
          value={target?.slug ?? ''}
          data={[
            { value: '', label: t('hooks.target-url') },
            ...slugs.map(({ slug }) => ({ value: slug, label: t('hooks.target-function', { name: slug }) })),
          ]}
          onChange={({ currentTarget: { value } }) => onChange({ url: value === '' ? '' : addressOf(value) })}
        />
      )}
      <TextInput
        label={t('hooks.url')}
        required
        type="url"
        inputMode="url"
        autoComplete="off"
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={showsErrors && !isWebhookUrl(draft.url) ? t('hooks.url-bad') : undefined}
        value={draft.url}
        onChange={(event) => onChange({ url: event.currentTarget.value })}
      />
      <div className={classes.pair}>
        <NativeSelect
          label={t('hooks.method')}
          {...(draft.method === 'GET' ? { description: t('hooks.method-get') } : {})}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={draft.method}
          data={['POST', 'GET']}
          onChange={(event) => onChange({ method: event.currentTarget.value as NewWebhook['method'] })}
        />
        <TextInput
          label={t('hooks.timeout')}
          required
          type="number"
          min={1}
          max={600_000}
          value={draft.timeoutMs}
          onChange={(event) => onChange({ timeoutMs: event.currentTarget.value })}
        />
      </div>
      <Textarea
        label={t('hooks.headers')}
        description={t('hooks.headers-help')}
        rows={3}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={showsErrors ? lineError(draft.headers) : undefined}
        value={draft.headers}
        onChange={(event) => onChange({ headers: event.currentTarget.value })}
      />
      {needsKey && home !== undefined ? (
        <div>
          <Button
            size="compact-xs"
            variant="default"
            onClick={() => onChange({ headers: withKey(draft.headers, home.anonKey) })}
          >
            {t('hooks.add-key')}
          </Button>
        </div>
      ) : null}
      <Textarea
        label={t('hooks.params')}
        description={t('hooks.params-help')}
        rows={2}
        spellCheck={false}
        classNames={{ input: classes.code }}
        error={showsErrors ? lineError(draft.params) : undefined}
        value={draft.params}
        onChange={(event) => onChange({ params: event.currentTarget.value })}
      />
    </>
  );
}

const withKey = (headers: string, key: string): string =>
  `${headers.trimEnd()}\nAuthorization: Bearer ${key}`.trimStart();

function lineError(text: string): string | undefined {
  const read = parsePairs(text);
  return 'badLine' in read ? t('hooks.headers-bad', { line: read.badLine }) : undefined;
}
