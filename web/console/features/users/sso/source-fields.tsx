/** The fields for a connection's metadata, domains and attribute mapping. */
import { NativeSelect, Textarea, TextInput } from '@mantine/core';
import { t } from '../text.ts';
import classes from './sso.module.css';

export interface SourceText {
  readonly kind: 'url' | 'xml';
  readonly text: string;
}

/** Returns the source in the API's format, or undefined if the field is empty. */
export const sourceOf = ({ kind, text }: SourceText): { url: string } | { xml: string } | undefined =>
  text.trim() === '' ? undefined : kind === 'url' ? { url: text.trim() } : { xml: text };

export function SourceFields({
  source,
  isRequired,
  onChange,
}: {
  source: SourceText;
  isRequired: boolean;
  onChange: (source: SourceText) => void;
}) {
  const { kind, text } = source;
  return (
    <>
      <NativeSelect
        label={t('sso.metadata')}
        value={kind}
        onChange={(event) =>
          onChange({ kind: event.currentTarget.value === 'xml' ? 'xml' : 'url', text: '' })
        }
        data={[
          { value: 'url', label: t('sso.by-url') },
          { value: 'xml', label: t('sso.by-xml') },
        ]}
      />
      {kind === 'url' ? (
        <TextInput
          label={t('sso.metadata-url')}
          description={t('sso.by-url-why')}
          type="url"
          placeholder="https://idp.example.com/metadata"
          required={isRequired}
          autoComplete="off"
          data-autofocus
          value={text}
          onChange={(event) => onChange({ kind, text: event.currentTarget.value })}
        />
      ) : (
        <Textarea
          label={t('sso.metadata-xml')}
          description={t('sso.by-xml-why')}
          rows={6}
          required={isRequired}
          spellCheck={false}
          classNames={{ input: classes.mono }}
          value={text}
          onChange={(event) => onChange({ kind, text: event.currentTarget.value })}
        />
      )}
    </>
  );
}

/** Returns the domains in a text. The domains are separated by commas, spaces or line breaks. */
export const domainsOf = (text: string): string[] => [
  ...new Set(text.split(/[\s,;]+/).filter((domain) => domain !== '')),
];

export function DomainField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      label={t('sso.domains')}
      description={t('sso.domains-why')}
      placeholder="example.com, example.org"
      autoComplete="off"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

export function MappingField({
  value,
  isBad,
  onChange,
}: {
  value: string;
  isBad: boolean;
  onChange: (value: string) => void;
}) {
  return (
    <Textarea
      label={t('sso.mapping')}
      description={t('sso.mapping-why')}
      placeholder={'{ "email": { "name": "mail" }, "full_name": { "names": ["displayName", "cn"] } }'}
      rows={5}
      spellCheck={false}
      classNames={{ input: classes.mono }}
      error={isBad ? t('users.not-json') : undefined}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}
