import { Button, Checkbox, NativeSelect, Textarea, TextInput } from '@mantine/core';
import { useState } from 'react';
import { Notice } from '../../../ui/notice.tsx';
import { useMay } from '../../api/session.ts';
import { Card } from '../../components/frame/card.tsx';
import { parsePersona } from '../../components/persona/persona.ts';
import { usePersonaName } from '../../components/persona/persona-name.ts';
import { PersonaPicker } from '../../components/persona/persona-picker.tsx';
import form from '../operators/form.module.css';
import type { LoggedRequest, ReplayRequest } from './api.ts';
import { parseHeaders, printHeaders } from './header-lines.ts';
import classes from './page.module.css';
import { t } from './text.ts';

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

const hasBody = (method: Method): boolean => method === 'POST' || method === 'PUT' || method === 'PATCH';

export function ReplayForm({
  logged,
  effects,
  onRun,
}: {
  logged: LoggedRequest | undefined;
  effects: readonly string[];
  onRun: (request: ReplayRequest) => void;
}) {
  const mayWrite = useMay('write');
  const [as, setAs] = useState<string | undefined>(logged?.as === 'operator' ? undefined : logged?.as);
  const [method, setMethod] = useState<Method>(methods.find((each) => each === logged?.method) ?? 'GET');
  const [path, setPath] = useState(logged?.path ?? '/rest/v1/');
  const [headers, setHeaders] = useState(printHeaders(logged?.headers ?? {}));
  const [body, setBody] = useState('');
  const [earlier, setEarlier] = useState('');
  const [accepts, setAccepts] = useState(false);
  const [isBad, setBad] = useState(false);
  const name = usePersonaName(as);
  const isOperator = parsePersona(as).kind === 'operator';
  const needsConsent = effects.length > 0 && (hasBody(method) || method === 'DELETE' || /\/rpc\//.test(path));
  return (
    <Card
      title={t('replay.request')}
      text={isOperator ? t('replay.text-operator') : t('replay.text', { name })}
      tools={<PersonaPicker as={as} onChange={setAs} />}
    >
      <form
        className={form.form}
        onSubmit={(event) => {
          event.preventDefault();
          const parsed = parseHeaders(headers);
          setBad(parsed === undefined);
          if (parsed === undefined) return;
          onRun({
            method,
            path: path.trim(),
            headers: parsed,
            acceptsEffects: accepts,
            ...(as === undefined ? {} : { as }),
            ...(hasBody(method) ? { body } : {}),
            ...(earlier.trim() === '' ? {} : { earlier }),
            ...(logged === undefined ? {} : { requestId: logged.requestId }),
          });
        }}
      >
        {logged?.isUserGone === true ? (
          <Notice tone="warning">
            <p>{t('replay.user-gone')}</p>
          </Notice>
        ) : null}
        {mayWrite ? null : <p className={form.text}>{t('replay.read-only')}</p>}
        <div className={classes.line}>
          <NativeSelect
            size="xs"
            label={t('replay.method')}
            value={method}
            data={[...methods]}
            onChange={(event) => setMethod(event.currentTarget.value as Method)}
          />
          <TextInput
            size="xs"
            className={classes.path}
            classNames={{ input: classes.code }}
            label={t('replay.path')}
            error={path.includes('…') ? t('replay.query-cut') : undefined}
            value={path}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setPath(event.currentTarget.value)}
          />
        </div>
        <Textarea
          size="xs"
          classNames={{ input: classes.code }}
          label={t('replay.headers')}
          description={t(
            Object.keys(logged?.headers ?? {}).length === 0 ? 'replay.headers-add' : 'replay.headers-hint',
          )}
          error={isBad ? t('replay.bad-header') : undefined}
          rows={Math.max(2, headers.split('\n').length)}
          value={headers}
          spellCheck={false}
          onChange={(event) => setHeaders(event.currentTarget.value)}
        />
        {hasBody(method) ? (
          <Textarea
            size="xs"
            classNames={{ input: classes.code }}
            label={t('replay.body')}
            description={logged?.hasBody === true && body === '' ? t('replay.body-missing') : undefined}
            rows={Math.min(12, Math.max(3, body.split('\n').length))}
            value={body}
            spellCheck={false}
            onChange={(event) => setBody(event.currentTarget.value)}
          />
        ) : null}
        <Textarea
          size="xs"
          classNames={{ input: classes.code }}
          label={t('replay.earlier')}
          description={t('replay.earlier-hint')}
          rows={2}
          value={earlier}
          spellCheck={false}
          onChange={(event) => setEarlier(event.currentTarget.value)}
        />
        {needsConsent ? (
          <Notice tone="warning">
            <p>{t('replay.effects', { extensions: effects.join(', ') })}</p>
            <Checkbox
              size="xs"
              label={t('replay.effects-accept')}
              checked={accepts}
              onChange={(event) => setAccepts(event.currentTarget.checked)}
            />
          </Notice>
        ) : null}
        <div className={classes.buttons}>
          <Button type="submit" size="compact-sm">
            {t('replay.run')}
          </Button>
        </div>
      </form>
    </Card>
  );
}
