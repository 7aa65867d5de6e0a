import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../lib/api.ts';
import { formatDateTime, formatRelative } from '../../lib/i18n.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Notice } from '../../ui/notice.tsx';
import { WithAddresses } from '../addresses.tsx';
import { FormButton } from '../form/form.tsx';
import { useSubmit } from '../form/use-submit.ts';
import { Form, Waiting } from '../parts.tsx';
import { callAuth, type User } from '../session.ts';
import { t } from '../text.ts';
import { Card, LoadFailed } from './card.tsx';
import { durationText } from './duration-text.ts';
import { Entry, Meta } from './entry.tsx';
import { useFresh, useFreshSignIn } from './fresh.tsx';
import classes from './security.module.css';

interface ApiKey {
  readonly id: string;
  readonly name: string;
  readonly beginning: string;
  readonly scopes: readonly string[];
  readonly created_at: string;
  readonly expires_at: string;
  readonly last_used_at: string | null;
}

interface ApiKeys {
  readonly keys: readonly ApiKey[];
  /** The scopes that the project offers for new keys. */
  readonly available_scopes: readonly string[];
}

const none: never[] = [];
const nameId = 'api-key-name';
/** The lifetimes of keys in days. The longest is the limit of the auth service. */
const lifetimes = [7, 30, 90, 180, 365] as const;
const defaultLifetime = 90;
const daySeconds = 86_400;

/**
 * Lists the user's API keys, which users can create and revoke. A new key is shown once. Guests can't create keys.
 * Hidden if the project doesn't offer keys.
 */
export function ApiKeysSection({ user }: { user: User }) {
  const cache = useQueryClient();
  const queryKey = ['api-keys', user.id];
  const [isCreating, setCreating] = useState(false);
  const [created, setCreated] = useState<string>();
  const [done, setDone] = useState<string>();
  const fresh = useFresh();
  const isGuest = user.is_anonymous === true;
  const list = useQuery({ queryKey, queryFn: () => callAuth<ApiKeys>('/user/api-keys'), enabled: !isGuest });
  // The service doesn't offer keys if its tables are in the database of a hosted project.
  if (list.error instanceof ApiError && list.error.code === 'feature_disabled') return null;
  const reload = () => cache.invalidateQueries({ queryKey });
  const { keys = none, available_scopes: scopes = none } = list.data ?? {};
  return (
    <Card
      title={t('api-key.title')}
      intro={t('api-key.intro')}
      action={
        !list.isSuccess || isCreating || created !== undefined ? null : (
          <Button
            variant="default"
            onClick={() =>
              fresh(() => {
                setDone(undefined);
                setCreating(true);
              })
            }
          >
            {t('api-key.create')}
          </Button>
        )
      }
    >
      {isGuest ? <p className={classes.meta}>{t('api-key.guest')}</p> : null}
      <div role="status">
        {done === undefined ? null : (
          <Notice tone="success">
            <WithAddresses text={done} />
          </Notice>
        )}
      </div>
      {!isGuest && list.isPending ? <Waiting /> : null}
      {list.isError ? <LoadFailed onAgain={() => void list.refetch()} /> : null}
      {isCreating ? (
        <CreateForm
          scopes={scopes}
          onCancel={() => setCreating(false)}
          onCreated={async (key) => {
            setCreating(false);
            setCreated(key);
            await reload();
          }}
        />
      ) : null}
      {created === undefined ? null : <NewKey value={created} onKept={() => setCreated(undefined)} />}
      {list.isSuccess && keys.length === 0 && !isCreating ? (
        <p className={classes.meta}>{t('api-key.none')}</p>
      ) : null}
      <ul className={classes.list}>
        {keys.map((key) => (
          <KeyEntry
            key={key.id}
            apiKey={key}
            onRevoked={async () => {
              await reload();
              setDone(t('api-key.revoked', { name: key.name }));
            }}
          />
        ))}
      </ul>
    </Card>
  );
}

function CreateForm(props: {
  scopes: readonly string[];
  onCancel: () => void;
  onCreated: (key: string) => Promise<void>;
}) {
  const { scopes } = props;
  const isFresh = useFreshSignIn();
  const submit = useSubmit(async (field) => {
    const name = field('name').trim();
    if (name === '') return [{ text: t('api-key.name-missing'), fieldId: nameId }];
    const body = {
      name,
      scopes: scopes.filter((scope) => field(`scope ${scope}`) !== ''),
      expires_in_days: Number(field('days')),
    };
    // The sign-in may have become too old while the form was open.
    if (!(await isFresh())) return undefined;
    try {
      const { key } = await callAuth<{ key: string }>('/user/api-keys', { method: 'POST', body });
      await props.onCreated(key);
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'conflict')) throw error;
      return [{ text: t('api-key.too-many'), code: error.code, requestId: error.requestId }];
    }
    return undefined;
  });
  return (
    <Form onSubmit={submit.onSubmit} problems={submit.problems} label={t('api-key.create')}>
      <TextInput
        id={nameId}
        name="name"
        size="md"
        label={t('api-key.name')}
        description={t('api-key.name-hint')}
        autoComplete="off"
        maxLength={100}
        required
        withAsterisk={false}
        error={submit.errorAt(nameId)}
      />
      <NativeSelect
        name="days"
        size="md"
        label={t('api-key.lifetime')}
        defaultValue={String(defaultLifetime)}
        data={lifetimes.map((days) => ({ value: String(days), label: durationText(days * daySeconds) }))}
      />
      {scopes.length === 0 ? null : (
        <fieldset className={classes.choices}>
          <legend>{t('api-key.scopes')}</legend>
          {scopes.map((scope) => (
            <label key={scope}>
              <input type="checkbox" name={`scope ${scope}`} />
              <bdi>{scope}</bdi>
            </label>
          ))}
        </fieldset>
      )}
      <div className={classes.actions}>
        <FormButton loading={submit.busy}>{t('api-key.submit')}</FormButton>
        <Button variant="default" disabled={submit.busy} onClick={props.onCancel}>
          {t('security.cancel')}
        </Button>
      </div>
    </Form>
  );
}

/** Shows a new key, which can't be shown again. */
function NewKey({ value, onKept }: { value: string; onKept: () => void }) {
  return (
    <>
      <div tabIndex={-1} data-autofocus>
        <Notice tone="warning">{t('api-key.shown-once')}</Notice>
      </div>
      <span className={classes.key}>
        <code>{value}</code>
        <CopyButton value={value} what={t('api-key.key')} />
      </span>
      <div className={classes.actions}>
        <Button onClick={onKept}>{t('api-key.kept')}</Button>
      </div>
    </>
  );
}

function KeyEntry({ apiKey, onRevoked }: { apiKey: ApiKey; onRevoked: () => Promise<void> }) {
  const { id, name, beginning, scopes, created_at, expires_at, last_used_at } = apiKey;
  const isExpired = Date.parse(expires_at) <= Date.now();
  const times = [
    t('api-key.created', { when: formatDateTime(created_at) }),
    t(isExpired ? 'api-key.expired' : 'api-key.expires', { when: formatDateTime(expires_at) }),
    last_used_at === null ? t('api-key.unused') : t('passkey.used', { when: formatRelative(last_used_at) }),
  ];
  return (
    <Entry
      name={name}
      meta={
        <>
          <Meta parts={[`${beginning}…`, ...scopes]} />
          <Meta parts={times} />
        </>
      }
      remove={t('api-key.revoke')}
      removeLabel={t('api-key.revoke-what', { name })}
      ask={t('api-key.revoke-ask', { name })}
      onRemove={async () => {
        await callAuth(`/user/api-keys/${id}`, { method: 'DELETE' });
        await onRevoked();
      }}
    />
  );
}
