/**
 * Placeholders in the plain pages for data that only the server has (filled in by `src/pages/account/routes/send.ts`).
 */
import { PasswordInput, TextInput } from '@mantine/core';
import { describedBy } from '../../ui/described-by.tsx';
import type { Problem } from '../../ui/error-summary.tsx';
import { t } from './text.ts';

/** Names the app to which the user will return, and contains the project's own text. */
export const introduction = '%PLINTH_INTRO%';
export const email = '%PLINTH_EMAIL%';
export const host = '%PLINTH_HOST%';
export const connection = '%PLINTH_CONNECTION%';
export const target = '%PLINTH_TARGET%';
export const when = '%PLINTH_WHEN%';
export const requestId = '%PLINTH_REQUEST_ID%';

export const number = '%PLINTH_NUMBER%';
export const browser = '%PLINTH_BROWSER%';
export const system = '%PLINTH_SYSTEM%';

/** The field to which an error belongs. `form` means the whole form. */
export type ErrorField = 'form' | 'email' | 'password' | 'code' | 'domain' | 'name' | 'slug';

export function problemsAt(errorField: ErrorField | undefined): readonly Problem[] {
  if (errorField === undefined) return [];
  const fieldId = errorField === 'form' ? undefined : errorField;
  return [{ text: '%PLINTH_PROBLEM%', fieldId, code: '%PLINTH_CODE%', requestId }];
}

/** Returns the error text for the field. The error summary links to the field. */
export const errorOf = (field: ErrorField, errorField: ErrorField | undefined) =>
  field === errorField ? '%PLINTH_PROBLEM%' : undefined;

export const shape = { size: 'md', required: true, withAsterisk: false } as const;

export function EmailInput({ errorField }: { errorField: ErrorField | undefined }) {
  return (
    <TextInput
      {...shape}
      id="email"
      name="email"
      type="email"
      label={t('field.email')}
      autoComplete="username"
      inputMode="email"
      spellCheck={false}
      autoCapitalize="none"
      defaultValue={email}
      autoFocus={errorField === 'email'}
      error={errorOf('email', errorField)}
    />
  );
}

export function DomainInput({ errorField }: { errorField: ErrorField | undefined }) {
  return (
    <TextInput
      {...shape}
      id="domain"
      name="domain"
      label={t('sso.domain')}
      description={t('sso.domain-hint')}
      autoComplete="email"
      inputMode="email"
      spellCheck={false}
      autoCapitalize="none"
      defaultValue={email}
      autoFocus={errorField === 'domain'}
      error={errorOf('domain', errorField)}
    />
  );
}

export function PasswordEntry(props: {
  errorField: ErrorField | undefined;
  isNew?: boolean;
  /** Whether the page focuses this field because the form has no other field. */
  isFirst?: boolean;
}) {
  return (
    <PasswordInput
      {...shape}
      id="password"
      name="password"
      label={props.isNew === true ? t('field.new-password') : t('field.password')}
      autoComplete={props.isNew === true ? 'new-password' : 'current-password'}
      autoFocus={props.isFirst === true || props.errorField === 'password'}
      {...(props.isNew === true ? describedBy('password-rules') : {})}
      error={errorOf('password', props.errorField)}
      visibilityToggleButtonProps={{ hidden: true }}
    />
  );
}

export function CodeInput(props: {
  errorField: ErrorField | undefined;
  className: string | undefined;
  /** Whether the field is for the number that another window shows. */
  isNumber?: boolean;
}) {
  const { errorField, className, isNumber = false } = props;
  return (
    <TextInput
      {...shape}
      id="code"
      name={isNumber ? 'number' : 'code'}
      label={isNumber ? t('field.number') : t('field.code')}
      autoComplete={isNumber ? 'off' : 'one-time-code'}
      inputMode="numeric"
      autoFocus
      error={errorOf('code', errorField)}
      classNames={{ input: className }}
    />
  );
}

export function RecoveryCodeInput({ errorField }: { errorField: ErrorField | undefined }) {
  return (
    <TextInput
      {...shape}
      id="code"
      name="recovery-code"
      label={t('mfa.recovery-code')}
      placeholder="abcd-efgh-ijkl-mnop"
      autoComplete="off"
      autoCapitalize="none"
      spellCheck={false}
      autoFocus
      error={errorOf('code', errorField)}
    />
  );
}
