/** Placeholders in the plain pages for data that only the server knows (filled in by `src/account/routes/pages.ts`). */
import { PasswordInput, TextInput } from '@mantine/core';
import type { Problem } from '../../ui/error-summary.tsx';
import { t } from './text.ts';

export const email = '%PLINTH_EMAIL%';
export const host = '%PLINTH_HOST%';
export const target = '%PLINTH_TARGET%';
export const requestId = '%PLINTH_REQUEST_ID%';

/** The field that an error belongs to. `form` means the form as a whole. */
export type Place = 'form' | 'email' | 'password' | 'code';

export function problemsAt(place: Place | undefined): readonly Problem[] {
  if (place === undefined) return [];
  const fieldId = place === 'form' ? undefined : place;
  return [{ text: '%PLINTH_PROBLEM%', fieldId, code: '%PLINTH_CODE%', requestId }];
}

/** Returns the error text for the field, to which the summary links. */
const errorOf = (field: Place, place: Place | undefined) =>
  field === place ? '%PLINTH_PROBLEM%' : undefined;

const shape = { size: 'md', required: true, withAsterisk: false } as const;

export function EmailInput({ place }: { place: Place | undefined }) {
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
      autoFocus={place === 'email'}
      error={errorOf('email', place)}
    />
  );
}

export function PasswordEntry(props: { place: Place | undefined; isNew?: boolean }) {
  return (
    <PasswordInput
      {...shape}
      id="password"
      name="password"
      label={props.isNew === true ? t('field.new-password') : t('field.password')}
      autoComplete={props.isNew === true ? 'new-password' : 'current-password'}
      autoFocus={props.place === 'password'}
      {...(props.isNew === true ? { 'aria-describedby': 'password-rules' } : {})}
      error={errorOf('password', props.place)}
      visibilityToggleButtonProps={{ hidden: true }}
    />
  );
}

export function CodeInput({ place, className }: { place: Place | undefined; className: string | undefined }) {
  return (
    <TextInput
      {...shape}
      id="code"
      name="code"
      label={t('field.code')}
      autoComplete="one-time-code"
      inputMode="numeric"
      autoFocus
      error={errorOf('code', place)}
      classNames={{ input: className }}
    />
  );
}
